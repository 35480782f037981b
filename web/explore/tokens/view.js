// The sentence as a line of words; one is selected, and another may be the key it attends to. A word without a row of
// the embedding table is not given to the model.

import { isClose } from '../../draw/sentence.js';
import { spoken } from '../../draw/spoken.js';
import { indexByKey } from '../../draw/arrow-keys.js';

/**
 * `fresh`: how many of the last ones the model wrote; `brushed`: those that are selected
 * together. `key`: the key of the cursor;
 * `part`: what they are in the selected attention; `isBoth`: they are its keys too. `box`: the id of the text box that
 * edits them.
 * @typedef {{
 *   title: string, words: readonly string[], ids: readonly (number | null)[], fresh: number, selected: number | null,
 *   key?: number, brushed?: readonly number[], part?: 'row' | 'key' | null, isBoth?: boolean, box?: string | null,
 * }} TokensData
 */

/**
 * @param {HTMLElement} root
 * @param {{onSelect: (index: number, how: 'one' | 'toggle' | 'range' | 'step' | {from: number}) => void}} options
 */
export function create(root, { onSelect }) {
  const title = document.createElement('p');
  const list = document.createElement('div');
  title.className = 'tokens-title';
  list.className = 'tokens';
  list.role = 'radiogroup';
  const pencil = document.createElement('button');
  pencil.type = 'button';
  pencil.className = 'edit-sentence';
  pencil.textContent = '✎';
  pencil.ariaLabel = pencil.title = 'Edit the sentence';
  root.append(title, list, pencil);
  /** @type {TokensData | null} */
  let last = null;

  function edit() {
    if (last?.box) document.getElementById(last.box)?.focus();
  }
  pencil.addEventListener('click', edit);
  list.addEventListener('dblclick', edit);

  /** @param {TokensData} data */
  function mark({ selected, key, part, brushed = [] }) {
    [...list.children].forEach((button, i) => {
      button.ariaChecked = String(i === selected);
      button.classList.toggle('query', part === 'row' && i === selected);
      button.classList.toggle('key', i === key);
      button.classList.toggle('brushed', brushed.includes(i));
      button.ariaDescription = brushed.includes(i) ? 'selected with others' : null;
      /** @type {HTMLElement} */ (button).tabIndex = i === (selected ?? 0) ? 0 : -1;
    });
    // A result that comes late selects another word than the one to which the reader left the text.
    if (list.contains(document.activeElement))
      /** @type {HTMLElement | null} */ (list.querySelector('[tabindex="0"]'))?.focus({ preventScroll: true });
    requestAnimationFrame(() => reveal(list)); // where the page is laid out anyway
  }

  list.addEventListener('click', (event) => {
    const button = /** @type {Element} */ (event.target).closest('button');
    if (button && button.ariaDisabled !== 'true')
      onSelect(
        [...list.children].indexOf(button),
        event.shiftKey ? 'range' : event.ctrlKey || event.metaKey ? 'toggle' : 'one',
      );
  });
  // A drag selects all tokens on its way. By touch it is sideways; the page scrolls up and down.
  let from = -1;
  /** @type {number | null} the last token of the drag */
  let dragged = null;
  /** The token there, −1: none that the model reads. @param {PointerEvent} event */
  function tokenAt({ clientX, clientY }) {
    const button = document.elementFromPoint(clientX, clientY)?.closest('.token');
    return button && button.ariaDisabled !== 'true' ? [...list.children].indexOf(button) : -1;
  }
  list.addEventListener('pointerdown', (event) => {
    from = event.button === 0 && !event.shiftKey && !event.ctrlKey && !event.metaKey ? tokenAt(event) : -1;
    dragged = null;
  });
  list.addEventListener('pointermove', (event) => {
    const at = from >= 0 && event.buttons === 1 ? tokenAt(event) : -1;
    if (at < 0 || at === (dragged ?? from)) return;
    dragged = at;
    onSelect(at, { from });
  });

  list.addEventListener('keydown', (event) => {
    const places = /** @type {HTMLElement[]} */ ([...list.children]);
    const all = places.filter((button) => button.ariaDisabled !== 'true');
    const here = all.findIndex((button) => button.tabIndex === 0);
    const target = indexByKey(event, here, all.length - 1);
    if (target === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(all.length - 1, target));
    if (!all[next]) return;
    onSelect(places.indexOf(all[next]), !event.shiftKey ? 'one' : event.key.startsWith('Arrow') ? 'step' : 'range');
    all[next].focus();
  });

  return {
    /** @param {TokensData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      title.textContent = data.title;
      title.hidden = data.title === 'Tokens'; // they speak for themselves
      list.ariaLabel = data.title;
      const rewrite = data.words !== last?.words || data.ids !== last.ids;
      if (rewrite) write(list, data);
      if (rewrite || data.part !== last?.part || data.isBoth !== last?.isBoth) name(list, data);
      if (rewrite || marksOf(data) !== (last && marksOf(last))) mark(data);
      pencil.hidden = !data.box;
      last = data;
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {TokensData} data */
const marksOf = ({ selected, key, part, brushed }) => JSON.stringify([selected, key, part, brushed]);

/** @param {HTMLElement} list @param {TokensData} data */
function write(list, { words, ids, fresh }) {
  const old = [...list.children];
  for (const extra of old.slice(words.length)) extra.remove();
  words.forEach((word, i) => {
    const button = old[i] ?? list.appendChild(makeToken());
    /** @type {Element} */ (button.firstElementChild).textContent = word;
    const unknown = ids[i] === null;
    const written = i >= words.length - fresh;
    const id = unknown ? 'unknown word, left out' : `id ${ids[i]}`;
    const facts = `index ${i}, ${id}${written ? ', written by the model' : ''}`;
    button.ariaLabel = `${spoken(word)}, ${facts}`;
    /** @type {HTMLElement} */ (button).title = facts;
    button.classList.toggle('close', isClose(word));
    button.classList.toggle('spaced', word.startsWith('␣'));
    button.ariaDisabled = unknown ? 'true' : null;
    button.classList.toggle('unknown', unknown);
    button.classList.toggle('fresh', written);
  });
}

/** Scrolls the strip, not the page, until the selected token is in sight. @param {HTMLElement} list */
function reveal(list) {
  const chosen = /** @type {HTMLElement | null} */ (list.querySelector('[tabindex="0"]'));
  if (!chosen) return;
  const top = chosen.offsetTop - list.offsetTop;
  const left = chosen.offsetLeft - list.offsetLeft;
  list.scrollTo({
    top: Math.min(top, Math.max(list.scrollTop, top + chosen.offsetHeight - list.clientHeight)),
    left: Math.min(left, Math.max(list.scrollLeft, left + chosen.offsetWidth - list.clientWidth)),
  });
}

/** What the tokens that the model reads stand for. @param {HTMLElement} list @param {TokensData} data */
function name(list, { ids, part, isBoth }) {
  let index = 0;
  [...list.children].forEach((button, i) => {
    const { dataset } = /** @type {HTMLElement} */ (button);
    const own = ids[i] === null ? undefined : String(index++);
    const names = { row: part === 'row' && own, key: part === 'key' && own, asKey: part === 'row' && isBoth && own };
    for (const [each, value] of Object.entries(names)) {
      if (value) dataset[each] = value;
      else delete dataset[each];
    }
  });
}

function makeToken() {
  const button = document.createElement('button');
  button.type = 'button';
  button.role = 'radio';
  button.className = 'token';
  const word = document.createElement('bdi');
  word.className = 'token-word';
  button.append(word);
  return button;
}
