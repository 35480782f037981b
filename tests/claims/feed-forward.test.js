import * as bottleneck from '../../src/claims/bottleneck/claim.js';
import * as extrapolation from '../../src/claims/extrapolation/claim.js';
import * as kinks from '../../src/claims/kinks/claim.js';
import * as linearLimits from '../../src/claims/linear-limits/claim.js';
import { testClaim } from './check.js';

testClaim(kinks, ['holds', 'holds', 'holds'], { seeds: 1 });
testClaim(extrapolation, ['holds']);
testClaim(linearLimits, ['holds only if']);
testClaim(bottleneck, ['fails', 'fails']);
