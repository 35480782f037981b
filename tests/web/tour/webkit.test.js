import { WHOLE, tourIn } from './tour.js';

tourIn('webkit', WHOLE);
