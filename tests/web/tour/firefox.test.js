import { WHOLE, tourIn } from './tour.js';

tourIn('firefox', WHOLE);
