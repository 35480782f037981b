// The style of what is printed for a class: cards, and their answer key.
import { addStyle } from '../../draw/style.js';
import css from './print.css';

addStyle(css);
