// Where a model that continues a text comes to its end. Stories end with “the end.”: after the word “end” training
// shows it nothing but a full stop, so what it would write then means nothing.

import { entryOf } from '../models/catalogue.js';

/** @param {import('./plan.js').ModelInfo} modelInfo */
const tellsStories = ({ recipe }) => recipe?.task === 'story'; // a reader's own file may have none

/** The ids that end what it writes. @param {import('./plan.js').ModelInfo} modelInfo */
export const endingOf = (modelInfo) =>
  entryOf(/** @type {any} */ (modelInfo.name))?.ending ?? [
    tellsStories(modelInfo) ? modelInfo.vocabulary.indexOf('end') : -1,
  ];

/** Whether nothing can follow a text. @param {string} text @param {import('./plan.js').ModelInfo} modelInfo */
export const hasEnded = (text, modelInfo) => tellsStories(modelInfo) && /(^|\s)end[\s.]*$/i.test(text);
