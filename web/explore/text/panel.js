// The text boxes: what the reader types, and what it is called for this model.

import { entryOf } from '../../models/catalogue.js';
import { MAX_CHARACTERS, kept } from '../../engine/tokens.js';
import { notesOf, wordAtCaret } from './notes.js';
import { section } from './section.js';
import { createSuggestions } from './suggestions.js';

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * @typedef {{label: string, text: string, free: boolean, targetText: string, two: boolean}} TextData
 * `free`: it is typed, not built from menus; `two`: the target is typed as well.
 */

const PAUSE = 900; // ms without a key, after which the word being typed counts as finished

/** @type {import('../index.js').Input<TextData>} */
export const text = {
  name: 'texts',
  slot: 'input',
  section,
  input({ state: { model, settings, text: source, targetText } }) {
    const entry = entryOf(model);
    const two = !entry && settings.kind === 'encoder-decoder';
    const label = entry?.token
      ? 'Tokens'
      : entry?.read
        ? 'Text'
        : entry?.input === 'prompt'
          ? 'Beginning of the story'
          : two
            ? 'Source sentence'
            : 'Sentence';
    return { label, text: source, free: entry?.input !== 'menus', targetText, two };
  },
  create(root, tools) {
    const { get, set, plan, modelInfo, stopGenerating } = tools;
    /** @type {ReturnType<typeof import('./typing.js').createTyping> | null} fetched when the reader comes to a box */
    let typing = null;
    /** @type {[Stack, State] | null} what was typed before it came, and the state before that */
    let early = null;
    root.addEventListener(
      'focusin',
      async () => {
        const late = await import('../late.js');
        typing = late.createTyping(tools);
        const completion = late.createCompletion(
          box,
          at('completions'),
          () => (entryOf(get().model)?.read ? [] : modelInfo()?.vocabulary) ?? [],
        );
        if (!early) return;
        typing.edit(early[0], {}, early[1]);
        completion.open();
      },
      { once: true },
    );
    /** @param {Stack} stack @param {Partial<State>} change */
    function edit(stack, change) {
      if (typing) return typing.edit(stack, change);
      early ??= [stack, get()];
      set(change);
    }
    /** @param {string} text */
    const editSource = (text) => edit(get().settings.kind === 'decoder' ? 'decoder' : 'encoder', { text, written: [] });
    /** @param {string} id */
    const at = (id) => /** @type {HTMLElement} */ (root.querySelector(`#${id}`));
    const box = /** @type {HTMLTextAreaElement} */ (at('text'));
    const targetBox = /** @type {HTMLTextAreaElement} */ (at('target-text'));
    const note = at('text-note');
    const suggestions = createSuggestions(at('suggestions'), {
      onReplace(replace) {
        stopGenerating();
        editSource(replace(get().text));
        (at('suggestions').querySelector('button') ?? note).focus(); // outside of the box Ctrl+Z takes it back
      },
    });
    /** @type {string | null} the word that is being typed */
    let typed = null;
    let pasted = 0; // characters of a text that was too long
    let pause = 0;

    function tell() {
      const info = modelInfo();
      const { model } = get();
      const text = notesOf({ plan: plan(), model, vocabulary: info?.vocabulary.length ?? 0, typed, pasted });
      suggestions.update(plan(), info?.vocabulary ?? [], typed);
      if (note.textContent !== text) note.textContent = text; // else a screen reader would repeat it
    }
    function finish() {
      clearTimeout(pause);
      if (typed === null) return;
      typed = null;
      tell();
    }
    /**
     * Takes what is typed; of a text that is too long its beginning.
     * @param {HTMLTextAreaElement} field
     * @param {(text: string) => void} take
     */
    function listen(field, take) {
      /** @param {number} [length] that the text would have */
      function changed(length = field.value.length) {
        const text = kept(field.value);
        if (text !== field.value) field.value = text;
        pasted = length > text.length ? length : 0;
        typed = wordAtCaret(text, field.selectionStart);
        clearTimeout(pause);
        pause = setTimeout(finish, PAUSE);
        take(text);
      }
      field.addEventListener('input', () => changed());
      field.addEventListener('blur', finish);
      cutLongPastes(field, changed);
    }
    listen(box, (text) => {
      stopGenerating();
      editSource(text);
    });
    listen(targetBox, (targetText) => edit('decoder', { targetText }));
    root.addEventListener('keydown', leaveByKey);
    return {
      /** @param {TextData} data */
      update({ label, text: source, free, targetText, two }) {
        root.hidden = !free;
        at('target-field').hidden = !two;
        at('text-label').textContent = label;
        if (box.value !== source) box.value = source; // else the caret would move
        if (targetBox.value !== targetText) targetBox.value = targetText;
        tell();
      },
    };
  },
};

/**
 * Cuts what is too long before the browser lays it out, which would take it seconds.
 * @param {HTMLTextAreaElement} field
 * @param {(length: number) => void} onCut with the length that the text would have
 */
function cutLongPastes(field, onCut) {
  field.addEventListener('paste', (event) => {
    const inserted = event.clipboardData?.getData('text/plain') ?? '';
    const { value, selectionStart, selectionEnd } = field;
    const length = value.length - (selectionEnd - selectionStart) + inserted.length;
    if (length <= MAX_CHARACTERS) return;
    event.preventDefault();
    const left = Math.max(0, MAX_CHARACTERS - (length - inserted.length));
    field.setRangeText(kept(inserted).slice(0, left), selectionStart, selectionEnd, 'end');
    onCut(length);
  });
}

/**
 * The text is one line: Enter and Escape go back to its words, unless the list of words took them.
 * @param {KeyboardEvent} event
 */
function leaveByKey(event) {
  const { key, isComposing, defaultPrevented } = event;
  if (defaultPrevented || isComposing || (key !== 'Enter' && key !== 'Escape')) return;
  event.preventDefault();
  const box = /** @type {HTMLElement} */ (event.target);
  const strip = box.id === 'target-text' ? '#tokens-decoder' : '.tokens-line:not([hidden])';
  const word = /** @type {HTMLElement | null} */ (document.querySelector(`${strip} .token[tabindex="0"]`));
  if (word) word.focus();
  else box.blur();
}
