// A list below the text box with the words that the one being typed may become. Tab or → takes the first, ↓ goes
// through them, Enter takes the chosen one, Escape puts the list away; without a list no key does anything new.

import { html, render } from 'lit-html';
import { addStyle } from '../../kit/feature.js';
import style from './completion.css';
import { wordAtCaret } from './notes.js';

addStyle(style);

const MOST = 6;

/**
 * The shortest first: the nearest to the typed letters.
 * @param {string} typed
 * @param {readonly string[]} vocabulary of the words in brackets only [MASK] can be typed
 */
export function completions(typed, vocabulary) {
  const begun = typed.startsWith('[') ? typed : typed.toLowerCase();
  return vocabulary
    .filter((word) => word.length > begun.length && word.startsWith(begun) && (word[0] !== '[' || word === '[MASK]'))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .slice(0, MOST);
}

/** Whether the model reads it as it is. @param {string} typed @param {readonly string[]} vocabulary */
export const isWhole = (typed, vocabulary) => vocabulary.includes(typed) || vocabulary.includes(typed.toLowerCase());

/**
 * The letters that complete a beginning to a word, and a space where none follows.
 * @param {string} typed
 * @param {string} word
 * @param {string} behind what stands behind the caret
 */
export const restOf = (typed, word, behind) => word.slice(typed.length) + (/^[\s\p{P}]/u.test(behind) ? '' : ' ');

/**
 * @param {HTMLTextAreaElement} box
 * @param {HTMLElement} list
 * @param {() => readonly string[]} vocabulary none: any word can be read
 */
export function createCompletion(box, list, vocabulary) {
  /** @type {string[]} */
  let words = [];
  let typed = '';
  let active = -1;

  function draw() {
    list.hidden = words.length === 0;
    list.classList.toggle('by-tab', !isWhole(typed, vocabulary()));
    render(
      html`${words.map(
        (word, i) =>
          html`<div role="option" class="completion" id="completion-${i}" aria-selected=${i === active}
            data-word=${word}><b>${typed}</b>${word.slice(typed.length)}</div>`,
      )}`,
      list,
    );
    if (active < 0) box.removeAttribute('aria-activedescendant');
    else box.setAttribute('aria-activedescendant', `completion-${active}`);
  }

  function close() {
    if (!words.length) return;
    words = [];
    active = -1;
    draw();
  }

  function open() {
    const now = box.selectionStart === box.selectionEnd ? wordAtCaret(box.value, box.selectionStart) : null;
    typed = now ?? '';
    words = now === null ? [] : completions(now, vocabulary());
    active = -1;
    draw();
  }

  /** @param {string} word */
  function take(word) {
    const text = restOf(typed, word, box.value.slice(box.selectionEnd));
    close();
    // So the browser's own undo knows it. It fires `input`, as typing does.
    if (!document.execCommand('insertText', false, text)) {
      box.setRangeText(text, box.selectionStart, box.selectionEnd, 'end');
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
    close();
  }

  /** Whether the list takes this key. @param {KeyboardEvent} event */
  function takes({ key, shiftKey }) {
    const atEnd = box.selectionEnd === box.value.length;
    const first = active >= 0 || !isWhole(typed, vocabulary()); // a whole word is left as it is
    if (key === 'Escape') return close;
    if ((key === 'Tab' && !shiftKey && first) || (key === 'ArrowRight' && atEnd && first))
      return () => take(words[Math.max(0, active)]);
    if (key === 'Enter' && active >= 0) return () => take(words[active]);
    const step = key === 'ArrowDown' && atEnd ? 1 : key === 'ArrowUp' && active >= 0 ? -1 : 0;
    return step
      ? () => {
          active = Math.min(words.length - 1, active + step);
          draw();
        }
      : null;
  }

  box.addEventListener('input', (event) => {
    if (/** @type {InputEvent} */ (event).isComposing) close();
    else open();
  });
  box.addEventListener('keydown', (event) => {
    if (!words.length || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const action = takes(event);
    if (!action) return;
    event.preventDefault();
    action();
  });
  box.addEventListener('blur', close);
  document.addEventListener('selectionchange', () => {
    if (words.length && wordAtCaret(box.value, box.selectionStart) !== typed) close();
  });
  list.addEventListener('pointerdown', (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener('click', (event) => {
    const option = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest('[data-word]'));
    if (option) take(option.dataset.word ?? '');
  });
  return { open };
}
