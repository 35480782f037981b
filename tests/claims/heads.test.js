import * as concatenation from '../../src/claims/concatenation/claim.js';
import * as superposition from '../../src/claims/superposition/claim.js';
import { testClaim } from './check.js';

testClaim(concatenation, ['holds']);
testClaim(superposition, ['fails', 'holds only if', 'fails', 'fails', 'fails', 'fails', 'fails', 'holds']);
