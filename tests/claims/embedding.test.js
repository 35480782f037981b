import * as length from '../../web/claims/length.js';
import * as lookUp from '../../web/claims/look-up.js';
import * as offsetRotation from '../../web/claims/offset-rotation.js';
import * as wordOrder from '../../web/claims/word-order.js';
import { testClaim } from './check.js';

testClaim(lookUp, ['holds']);
testClaim(offsetRotation, ['holds', 'fails']);
testClaim(wordOrder, ['holds only if', 'fails']);
testClaim(length, ['fails', 'fails']);
