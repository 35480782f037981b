// The text boxes: the reader's text, its label for this model, and notes on the text below it.

import { html, nothing } from 'lit-html';
import { MAX_CHARACTERS, kept, readWords, replaceWord } from '../../engine/tokens.js';
import { LABELS, entryOf } from '../../models/catalogue.js';
import { movedNote, notesOf, unknownWords, wordAround } from '../shared/notes.js';
import { beginning } from '../../kit/letters.js';

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * @typedef {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} Tools
 */

const PAUSE = 900; // ms without a key, after which the word being typed counts as finished
const MOST = 6; // words for which another is suggested

/** @type {ReturnType<typeof import('../shared/typing.js').createTyping> | null} fetched as the reader comes to a box */
let typing = null;
/** @type {[Stack, State] | null} what was typed before it came, and the state before that */
let early = null;
/** @type {Promise<void> | null} */
let loading = null;
/** @type {ReturnType<typeof import('../shared/own-sentence.js').createOwnSentence> | null} fetched with it */
let ownSentence = null;
/** @type {State | null} as the reader came to the boxes */
let came = null;
let pause = 0;
/** @type {typeof import('../shared/nearest.js').nearestWord | null} fetched with the first unknown word */
let nearestWord = null;
/** @type {typeof import('../shared/target-field.js').targetField | null} fetched with the first target */
let field = null;

/** @type {import('../index.js').InputFeature} */
export const text = {
  name: 'texts',
  slot: 'input',
  input: true,
  // The word that is being typed; how many characters a text had of which only the first were kept, 0: all were; the
  // model that did not know the reader's words; the target while the reader is at its box, where a model writes it.
  local: { typed: null, pasted: 0, from: null, target: null },
  begin: () => void (typing = early = loading = ownSentence = came = null),
  render({ state, modelInfo, local: { typed, pasted, from, target: own } }, tools) {
    const { model, settings } = state;
    const { plan, get, set, stopGenerating } = tools;
    const entry = entryOf(model);
    const two = !entry && settings.kind === 'encoder-decoder';
    const prompt = entry?.input === 'prompt' && 'Beginning of the story';
    const isWritten = Boolean(entry?.readTarget);
    const hasTarget = two || isWritten;
    if (hasTarget && !field) fetchField(tools);
    const label = entry?.token ? 'Tokens' : entry?.read ? 'Text' : prompt || (two ? 'Source sentence' : 'Sentence');
    const now = plan();
    const vocabulary = modelInfo?.vocabulary ?? [];
    const pairs = suggestions(now, vocabulary, typed, tools);

    /** @param {Stack} stack @param {Partial<State>} change */
    function edit(stack, change) {
      if (typing) return typing.edit(stack, change);
      early ??= [stack, get()];
      set(change);
    }
    /** @param {string} text */
    function editSource(text) {
      stopGenerating();
      edit(get().settings.kind === 'decoder' ? 'decoder' : 'encoder', { text, written: [] });
    }
    /** @param {string} word @param {string} near */
    function replace(word, near) {
      editSource(replaceWord(get().text, word, near, entry?.token));
      // Outside of the box Ctrl+Z takes it back.
      /** @type {HTMLElement} */ (document.getElementById('text-note')).focus();
    }
    const finish = () => {
      clearTimeout(pause);
      tools.local({ typed: null });
    };
    const onCome = (/** @type {FocusEvent} */ event) => come(event, tools);
    /** @param {FocusEvent} event */
    function blur(event) {
      finish();
      if (came && !isInside(event)) ownSentence?.check(came, null);
    }
    /**
     * Makes a box's listeners, which take its text. A text that is too long keeps its beginning.
     * @param {(text: string) => void} take
     */
    const listeners = (take) => {
      /** @param {HTMLTextAreaElement} box @param {number} length that the text would have */
      function changed(box, length) {
        const text = kept(box.value);
        if (text !== box.value) box.value = text;
        clearTimeout(pause);
        pause = setTimeout(finish, PAUSE);
        const word = wordAround(text, box.selectionStart);
        tools.local({ typed: word, pasted: length > text.length ? length : 0 });
        take(text);
        if (came) ownSentence?.check(came, { typed: word });
      }
      return {
        input: (/** @type {Event} */ { target }) => changed(boxOf(target), boxOf(target).value.length),
        paste: (/** @type {ClipboardEvent} */ event) => cutLongPaste(event, changed),
      };
    };
    const source = listeners(editSource);
    const target = listeners((targetText) => {
      if (isWritten) tools.local({ target: targetText });
      edit('decoder', isWritten ? { targetText, written: [] } : { targetText });
    });

    return html`<div id="texts" ?hidden=${entry?.input === 'menus'} @focusin=${onCome}
      @keydown=${leaveByKey}>
      <div class="texts">
        <div class="text-field" id="text-field">
          <label for="text" id="text-label">${label}</label>
          <textarea id="text" rows="1" wrap="off" placeholder="Type a sentence"
            dir="auto" spellcheck="false" autocomplete="off" autocapitalize="off"
            aria-autocomplete="list" aria-controls="completions" aria-describedby="text-note" .value=${state.text}
            @input=${source.input} @paste=${source.paste} @blur=${blur}></textarea>
        </div>
        <div class="text-field" id="target-field" ?hidden=${!hasTarget}>${
          hasTarget ? field?.({ isWritten, text: own ?? state.targetText, take: target, blur }, tools) : nothing
        }</div>
      </div>
      <div class="text-below">
        <p class="text-note" id="text-note" role="status" tabindex="-1">${notesOf({
          plan: now,
          model,
          vocabulary: vocabulary.length,
          typed,
          pasted,
        })}</p>
        ${model === 'austen' && from && state.text.trim() ? moved(from, state.text, tools) : nothing}
        <div class="suggestions" id="suggestions" role="group" aria-label="Known words instead"
          ?hidden=${!pairs.length} @mousedown=${keepFocus}>${pairs.map(
            ({ word, near }) => html`<button type="button" class="suggestion" aria-label="Replace ${word} by ${near}"
              @click=${() => replace(word, near)}><s><bdi>${word}</bdi></s> → <bdi>${near}</bdi>?</button>`,
          )}</div>
        <div class="completions" id="completions" role="listbox" aria-label="Words that the model knows" hidden></div>
      </div>
    </div>`;
  },
};

/** Whether the focus stays among the boxes and their notes. @param {FocusEvent} event */
const isInside = ({ target, relatedTarget }) =>
  relatedTarget instanceof Node && Boolean(boxOf(target).closest('#texts')?.contains(relatedTarget));

/** The reader comes to a box. @param {FocusEvent} event @param {Tools} tools */
function come(event, tools) {
  if (!came || (event.isTrusted && !isInside(event))) came = tools.get(); // place.js repeats the first event
  fetchTyping(tools);
}

/** @param {Tools} tools */
async function fetchNearest({ local }) {
  ({ nearestWord } = await import('../shared/nearest.js'));
  local({});
}

/** @param {Tools} tools */
async function fetchField({ local }) {
  field = (await import('../shared/target-field.js')).targetField;
  local({});
}

/** A press on a button must not leave the box before it is a click. @param {Event} event */
const keepFocus = (event) => event.preventDefault();

/**
 * Says which words the reader's first model lacks, and leads back to it.
 * @param {{model: keyof typeof LABELS, vocabulary: readonly string[]}} from
 * @param {string} text @param {Tools} tools
 */
function moved({ model, vocabulary }, text, { chooseModel, local }) {
  const { label } = LABELS[model];
  function back() {
    local({ from: null });
    chooseModel(model);
    toWords('.tokens-line:not([hidden])');
  }
  return html`<p class="text-moved" role="status">${movedNote(label, unknownWords(readWords(text, vocabulary)))}
    <button type="button" @click=${back}>Back to ${label}</button></p>`;
}

/** @param {EventTarget | null} target */
const boxOf = (target) => /** @type {HTMLTextAreaElement} */ (target);

/** Fetches what typing means, and the list of words, when the reader comes to a box. @param {Tools} tools */
function fetchTyping(tools) {
  if (loading) return loading;
  const { get, set, plan, modelInfo, local } = tools;
  const box = boxOf(document.getElementById('text'));
  const list = /** @type {HTMLElement} */ (document.getElementById('completions'));
  const code = Promise.all([
    import('../shared/typing.js'),
    import('../shared/completion.js'),
    import('../shared/own-sentence.js'),
  ]);
  const mine = code.then(([{ createTyping }, { createCompletion }, { createOwnSentence }]) => {
    if (loading !== mine) return; // the box that asked is gone
    typing = createTyping({ get, set, plan });
    ownSentence = createOwnSentence(tools, (from) => local({ from }));
    const words = () => (entryOf(get().model)?.read ? [] : modelInfo()?.vocabulary) ?? [];
    const completion = createCompletion(box, list, words);
    if (!early) return;
    typing.edit(early[0], {}, early[1]);
    completion.open();
    const typed = wordAround(box.value, box.selectionStart);
    if (came) ownSentence.check(came, document.activeElement === box ? { typed } : null);
  });
  loading = mine;
  return mine;
}

/**
 * For each word that the model does not know, the nearest one that it knows.
 * @param {import('../index.js').Plan} plan
 * @param {readonly string[]} vocabulary none: any word is read
 * @param {string | null} typed the word that is being typed
 * @param {Tools} tools
 */
function suggestions({ tokens }, vocabulary, typed, tools) {
  const unknown = vocabulary.length ? unknownWords(tokens.encoder ?? tokens.decoder) : [];
  if (unknown.length && !nearestWord) fetchNearest(tools);
  return unknown
    .filter((word) => word !== typed)
    .slice(0, MOST)
    .flatMap((word) => {
      const near = nearestWord?.(word, vocabulary);
      return near ? [{ word, near }] : [];
    });
}

/**
 * Cuts a text that is too long before the browser lays it out, which would take it seconds.
 * @param {ClipboardEvent} event
 * @param {(box: HTMLTextAreaElement, length: number) => void} onCut with the length that the text would have
 */
function cutLongPaste(event, onCut) {
  const box = boxOf(event.target);
  const inserted = event.clipboardData?.getData('text/plain') ?? '';
  const { value, selectionStart, selectionEnd } = box;
  const length = value.length - (selectionEnd - selectionStart) + inserted.length;
  if (length <= MAX_CHARACTERS) return;
  event.preventDefault();
  const left = Math.max(0, MAX_CHARACTERS - (length - inserted.length));
  box.setRangeText(left ? beginning(inserted, left) : '', selectionStart, selectionEnd, 'end');
  onCut(box, length);
}

/**
 * The text is one line: Enter and Escape go back to its words, unless the list of words took them.
 * @param {KeyboardEvent} event
 */
function leaveByKey(event) {
  const { key, isComposing, defaultPrevented } = event;
  if (defaultPrevented || isComposing || (key !== 'Enter' && key !== 'Escape')) return;
  event.preventDefault();
  const box = boxOf(event.target);
  const strip = box.id === 'target-text' ? '#tokens-decoder' : '.tokens-line:not([hidden])';
  if (!toWords(strip)) box.blur();
}

/** Moves the focus to the selected word. @param {string} strip */
function toWords(strip) {
  const word = /** @type {HTMLElement | null} */ (document.querySelector(`${strip} .token[tabindex="0"]`));
  word?.focus();
  return word;
}
