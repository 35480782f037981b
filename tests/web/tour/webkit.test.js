import { tourIn } from './tour.js';

tourIn('webkit');
