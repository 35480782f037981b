import { SHORT, tourIn } from './tour.js';

tourIn('chromium', SHORT);
