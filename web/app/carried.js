// Models that come to Explore with their file: from Train, at the moment that is shown there. Fetched with the first.

import { LABELS, isModel, setModel } from '../models/catalogue.js';

/**
 * @typedef {import('../models/catalogue.js').GivenModel} GivenModel
 * @typedef {import('../models/catalogue.js').ModelName} ModelName
 */

const MOST = 3; // at once
/** @type {string[]} their names, the oldest first */
let names = [];

/**
 * Opens a model in Explore, as one more to choose from.
 * @param {GivenModel} model
 * @param {object} page
 * @param {ReturnType<typeof import('../engine/protocol.js').connectWorker>['post']} page.post
 * @param {() => import('./schema.js').State} page.shown
 * @throws {Error} why it could not be opened
 */
export async function carry({ name, label, entry, file }, { post, shown }) {
  const isNew = !isModel(name);
  setModel(name, { label, entry });
  const response = await post({ type: 'open', model: name, file });
  if (response && 'error' in response && response.error) {
    if (isNew) setModel(name, null);
    throw new Error(response.error.message);
  }
  names = [...names.filter((each) => each !== name), name];
  const { model, pinned } = shown();
  const dropped = names.slice(0, -MOST).find((each) => each !== model && each !== pinned?.model);
  if (dropped) {
    names = names.filter((each) => each !== dropped);
    setModel(dropped, null);
  }
  const showChoice = () => {
    scrollTo(0, 0); // this place begins there, whatever was in sight of the other
    document.querySelector('.model:has(:checked)')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  addEventListener('hashchange', () => requestAnimationFrame(showChoice), { once: true });
  location.hash = `#/explore?${new URLSearchParams({ model: name })}`;
}

/**
 * Says where a model comes from that a link names, and no file of this page holds.
 * @param {string} name
 */
export function offer(name) {
  const [run, weights] = name.split('&weights='); // with these a text of the reader's own, which no link holds
  const notice = document.createElement('p');
  const link = document.createElement('a');
  notice.className = 'notices';
  notice.role = 'status';
  link.href = `#/${run}`;
  link.textContent = 'Train it there';
  const same = weights
    ? 'with the same text, the same steps give the same weights, and “Open in Explore” brings them here'
    : 'the same steps give the same weights, and “Open in Explore” brings them here';
  notice.append(
    'This link shows a model that was trained in Train, in another tab: a link holds none of its weights. ',
    link,
    `: ${same}. Shown below: ${LABELS.creek.label}.`,
  );
  document.querySelector('#notices')?.before(notice);
  addEventListener('hashchange', () => notice.remove(), { once: true });
}
