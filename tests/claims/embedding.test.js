import * as length from '../../src/claims/length/claim.js';
import * as lookUp from '../../src/claims/look-up/claim.js';
import * as offsetRotation from '../../src/claims/offset-rotation/claim.js';
import * as wordOrder from '../../src/claims/word-order/claim.js';
import { testClaim } from './check.js';

testClaim(lookUp, ['holds']);
testClaim(offsetRotation, ['holds', 'fails']);
testClaim(wordOrder, ['holds only if', 'fails']);
testClaim(length, ['fails', 'fails']);
