import * as normBound from '../../src/claims/norm-bound/claim.js';
import { testClaim } from './check.js';

testClaim(normBound, ['holds', 'holds', 'holds', 'holds', 'holds']);
