// The style of the tables with numbers, on a card and in the summary.
import { addStyle } from '../draw/style.js';
import css from './table.css';

addStyle(css);
