// The tokens of a text with their index and their row of the embedding table; one is selected. A
// token without a row is not given to the model.

import { spoken } from '../../draw/spoken.js';
import { placeByKey } from '../../draw/arrow-keys.js';

/**
 * `fresh`: how many of the last ones the model wrote; `brushed`: those that are summed. `part`: what they are in the
 * selected attention; `isBoth`: they are its keys too.
 * @typedef {{
 *   title: string, words: readonly string[], ids: readonly (number | null)[], fresh: number, selected: number | null,
 *   brushed?: readonly number[], part?: 'row' | 'key' | null, isBoth?: boolean,
 * }} TokensData
 */

/**
 * @param {HTMLElement} root
 * @param {{onSelect: (index: number, how: 'one' | 'toggle' | 'range' | 'step') => void}} options
 */
export function create(root, { onSelect }) {
  const title = document.createElement('p');
  const list = document.createElement('div');
  title.className = 'tokens-title';
  list.className = 'tokens';
  list.role = 'radiogroup';
  root.append(title, list);
  /** @type {TokensData | null} */
  let last = null;

  /** @param {number | null} selected @param {readonly number[]} [brushed] */
  function mark(selected, brushed = []) {
    [...list.children].forEach((button, i) => {
      button.ariaChecked = String(i === selected);
      button.classList.toggle('brushed', brushed.includes(i));
      button.ariaDescription = brushed.includes(i) ? 'part of the sum' : null;
      /** @type {HTMLElement} */ (button).tabIndex = i === (selected ?? 0) ? 0 : -1;
    });
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
  list.addEventListener('keydown', (event) => {
    const places = /** @type {HTMLElement[]} */ ([...list.children]);
    const all = places.filter((button) => button.ariaDisabled !== 'true');
    const here = all.findIndex((button) => button.tabIndex === 0);
    const target = placeByKey(event, here, all.length - 1);
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
      if (rewrite || data.selected !== last?.selected || String(data.brushed) !== String(last?.brushed))
        mark(data.selected, data.brushed);
      last = data;
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {HTMLElement} list @param {TokensData} data */
function write(list, { words, ids, fresh }) {
  const old = [...list.children];
  for (const extra of old.slice(words.length)) extra.remove();
  words.forEach((word, i) => {
    const button = old[i] ?? list.appendChild(makeToken());
    const [index, name, row] = button.children;
    index.textContent = String(i);
    name.textContent = word;
    const unknown = ids[i] === null;
    const written = i >= words.length - fresh;
    row.textContent = unknown ? 'unknown' : String(ids[i]);
    const id = unknown ? 'unknown word, left out' : `id ${ids[i]}`;
    button.ariaLabel = `${spoken(word)}, index ${i}, ${id}${written ? ', written by the model' : ''}`;
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
  let place = 0;
  [...list.children].forEach((button, i) => {
    const { dataset } = /** @type {HTMLElement} */ (button);
    const own = ids[i] === null ? undefined : String(place++);
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
  for (const [tag, name] of [
    ['span', 'token-index'],
    ['bdi', 'token-word'],
    ['span', 'token-id'],
  ]) {
    const part = document.createElement(tag);
    part.className = name;
    button.append(part);
  }
  return button;
}
