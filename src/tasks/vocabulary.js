// One class for what tasks and files have.
export { Vocabulary } from '../js/text/vocabulary.js';
