// Models that Explore gets with their file: from Train, at the step shown there, or the reader's own
// (own/own.js). Fetched with the first.

import { giveOnce } from './corpus.js';
import { linkOf } from '../kit/address.js';
import { onAddress } from '../kit/link.js';
import { LABELS, entryOf, isModel, setModel } from '../models/catalogue.js';
import { tellingHead } from '../engine/telling.js';
import { toModels } from './menus.js';

/**
 * @typedef {import('../models/catalogue.js').GivenModel} GivenModel
 * @typedef {import('../models/catalogue.js').ModelName} ModelName
 *
 * @typedef {object} Page
 * @property {ReturnType<typeof import('../engine/protocol.js').connectWorker>['post']} post
 * @property {() => import('./schema.js').State} shown
 * @property {(name: string) => string} scriptUrl the address of a worker's script
 * @property {() => void} refresh asks for what the state lacks, and shows it
 * @property {() => string} chosen the model that is shown, or waits for its file
 * @property {() => boolean} isTyped whether the reader goes to the awaited model with a text
 * @property {(why?: string) => void} giveUp shows what was shown, or the first model, in place of the awaited one; why:
 *   for the notices
 * @property {(name: string) => void} forget lets go of a model that was given
 */

const MOST = 3; // at once
/** @type {string[]} their names, the oldest first */
let names = [];

/**
 * Adds a model to those that Explore has to choose from.
 * @param {GivenModel} model
 * @param {Page} page
 * @param {import('../engine/model-cache.js').OpenOptions} [options]
 * @throws {Error} why it could not be opened, as where the reader keeps those that are open: then all is as it was
 */
export async function add({ name, label, entry, file, words }, { post, shown, forget, refresh }, options = {}) {
  const leaves = names.includes(name) || label.shipped ? null : await modelToClose(label, shown());
  if (leaves === '') entry.close?.();
  if (leaves === '') throw new Error('the models that are open stay open');
  const before = isModel(name) ? { label: LABELS[name], entry: /** @type {any} */ (entryOf(name)) } : null;
  setModel(name, {
    label: { ...label, wanted: before?.label.wanted },
    entry: Object.assign(entry, { telling: entry.telling ?? tellingHead }),
  });
  const response = await post({ type: 'open', model: name, file, ...(words && { words }), ...options });
  if (response && 'error' in response && response.error) {
    setModel(name, before);
    entry.close?.();
    throw new Error(response.error.message);
  }
  const shownLabel = LABELS[/** @type {ModelName} */ (name)];
  delete shownLabel.wanted;
  if (response && 'info' in response) {
    shownLabel.label += roundedTo(response.info);
    if (entry.corpus) entry.corpus.state = giveOnce(name, entry.corpus, response.info, { post, refresh });
  }
  before?.entry.close?.();
  if (!label.shipped) names = [...names.filter((each) => each !== name), name];
  const { model, pinned } = shown();
  if (leaves && leaves !== model && leaves !== pinned?.model) {
    names = names.filter((each) => each !== leaves);
    entryOf(/** @type {ModelName} */ (leaves))?.close?.();
    setModel(leaves, null);
    forget(leaves);
  } // else the reader has gone to it meanwhile
  refresh();
}

/** The rounding of a model's numbers: it follows the name wherever they are shown. */
const roundedTo = (/** @type {import('../engine/plan.js').ModelInfo} */ { rounded, config }) =>
  rounded ? ', rounded to bfloat16' : config.weights === 'int8' ? ', approximate (8 bits)' : '';

/**
 * Asks which model is closed for another one. None of those that are shown can be.
 * @param {import('../models/catalogue.js').Label} coming @param {import('./schema.js').State} shown
 * @returns {Promise<string | null>} its name; '': the reader keeps them all; null: none has to close
 */
async function modelToClose(coming, { model, pinned }) {
  if (names.length < MOST) return null;
  return askWhichToClose(
    coming,
    names.filter((each) => each !== model && each !== pinned?.model),
  );
}

/**
 * Opens a model in Explore, as one more to choose from.
 * @param {GivenModel} model
 * @param {Page} page
 * @throws {Error} why it could not be opened
 */
export async function openInExplore(model, page) {
  await add(model, page);
  go(model.name, page.shown());
}

/**
 * Shows a model that is open.
 * @param {string} name
 * @param {import('./schema.js').State} shown of which the layout is kept
 */
export function go(name, { layout }) {
  const showChoice = () => {
    scrollTo(0, 0); // this place begins there, whatever was in sight of the other
    toModels()?.focus({ preventScroll: true }); // not to the text, whose box would open over its words
    document.querySelector('.model:has(:checked)')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  const end = onAddress(() => (end(), requestAnimationFrame(showChoice)));
  /** @type {import('../kit/address.js').Part[]} */
  const kept = layout === 'page' ? [['layout', layout]] : [];
  location.hash = linkOf('explore', [['model', name], ...kept]);
}

/**
 * Says where a model comes from that a link names, and why it is not trained here.
 * @param {string} name @param {string} why @param {string} shown the model that is shown instead
 * @returns {HTMLElement} the link to where it is trained
 */
export function offer(name, why, shown) {
  const [run, weights] = name.split('&weights='); // with these a text of the reader's own, which no link holds
  const notice = document.createElement('p');
  const link = document.createElement('a');
  notice.className = 'notices';
  notice.role = 'status';
  const isClaim = name.startsWith('claims');
  link.href = `#/${run}`;
  link.textContent = isClaim ? 'Train it on its card' : 'Train it there';
  const button = isClaim ? '“Open its model in Explore”' : '“Open in Explore”';
  const below = LABELS[/** @type {ModelName} */ (shown)].label;
  const same = `the same steps give the same weights, and ${button} brings them here`;
  notice.append(
    `This link shows a model that was trained in ${isClaim ? 'Claims' : 'Train'}. It is not open here: ${why}. `,
    link,
    `: ${weights ? `with the same text, ${same}` : same}. Shown below: ${below}.`,
  );
  document.querySelector('#notices')?.before(notice);
  const end = onAddress(() => (end(), notice.remove()));
  return link;
}

/** @param {import('../models/catalogue.js').Label} label */
const called = ({ label, does }) => `${label}: ${does}`;

/**
 * @param {import('../models/catalogue.js').Label} coming the model that would be opened
 * @param {string[]} names of the models that can be closed
 * @returns {Promise<string>} which of them the reader closes; '': none
 */
function askWhichToClose(coming, names) {
  const dialog = document.createElement('dialog');
  dialog.className = 'close-model';
  dialog.setAttribute('aria-labelledby', 'close-model-title');
  const title = document.createElement('h2');
  title.id = 'close-model-title';
  title.textContent = 'Which model do you want to close?';
  const why = document.createElement('p');
  why.textContent = `${names.length} of your models are open, and no more fit. Close one to open “${called(coming)}”.`;
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
