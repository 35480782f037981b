import * as concatenation from '../../web/claims/concatenation.js';
import { testClaim } from './check.js';

testClaim(concatenation, ['holds']);
