import * as lookUp from '../../web/claims/look-up.js';
import { testClaim } from './check.js';

testClaim(lookUp, ['holds']);
