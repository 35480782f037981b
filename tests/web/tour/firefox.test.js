import { tourIn } from './tour.js';

tourIn('firefox');
