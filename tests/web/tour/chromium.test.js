import { tourIn } from './tour.js';

tourIn('chromium');
