import * as normBound from '../../web/claims/norm-bound.js';
import { testClaim } from './check.js';

testClaim(normBound, ['holds', 'holds', 'holds', 'holds', 'holds']);
