import { BROWSER, tourIn } from './tour.js';

tourIn('chromium', BROWSER);
