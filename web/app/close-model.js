// Asks which model to close for another one. Fetched when three are open.

import { LABELS } from '../models/catalogue.js';

/** @typedef {import('../models/catalogue.js').Label} Label */

/** @param {Label} label */
const called = ({ label, does }) => `${label}: ${does}`;

/**
 * @param {Label} coming the model that would be opened
 * @param {string[]} names of the models that can be closed
 * @returns {Promise<string>} which of them the reader closes; '': none
 */
export function askWhichToClose(coming, names) {
  const dialog = document.createElement('dialog');
  dialog.className = 'close-model';
  dialog.setAttribute('aria-labelledby', 'close-model-title');
  const title = document.createElement('h2');
  title.id = 'close-model-title';
  title.textContent = 'Which model do you want to close?';
  const why = document.createElement('p');
  why.textContent = `Three of your models are open, and no more fit. Close one to open “${called(coming)}”.`;
  /** @param {string} value @param {string} text */
  const button = (value, text) =>
    Object.assign(document.createElement('button'), { type: 'submit', value, textContent: text });
  const form = Object.assign(document.createElement('form'), { method: 'dialog' });
  form.append(
    title,
    why,
    ...names.map((name) => button(name, `Close “${called(LABELS[/** @type {'creek'} */ (name)])}”`)),
    Object.assign(button('', 'Keep them all'), { autofocus: true }),
  );
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    }),
  );
}
