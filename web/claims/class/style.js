// The style of what a class has: its cards, codes, second answers.
import { addStyle } from '../../draw/style.js';
import css from './class.css';

addStyle(css);
