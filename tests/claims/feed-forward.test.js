import * as bottleneck from '../../web/claims/bottleneck.js';
import * as extrapolation from '../../web/claims/extrapolation.js';
import * as kinks from '../../web/claims/kinks.js';
import * as linearLimits from '../../web/claims/linear-limits.js';
import { testClaim } from './check.js';

testClaim(kinks, ['holds', 'holds', 'holds'], { seeds: 1 });
testClaim(extrapolation, ['holds']);
testClaim(linearLimits, ['holds only if']);
testClaim(bottleneck, ['fails', 'fails']);
