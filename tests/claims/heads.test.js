import * as concatenation from '../../web/claims/concatenation.js';
import * as superposition from '../../web/claims/superposition.js';
import { testClaim } from './check.js';

testClaim(concatenation, ['holds']);
testClaim(superposition, ['fails', 'holds only if', 'fails', 'fails', 'fails', 'fails', 'fails', 'holds']);
