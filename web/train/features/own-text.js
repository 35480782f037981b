// The reader's own text: typed, pasted or from a file.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { heldOutText } from '../tasks.js';
import style from './own-text.css';

const MOST = 2_000_000; // bytes of a file

/** @type {import('../index.js').Feature} */
export const ownText = {
  name: 'own-text',
  style,
  render({ state: { text, level, draft, tasks, problem }, report: { split } }, { set, onText, onDraft }) {
    const wrong = problem?.field === 'text' ? problem.text : '';
    const size = (tasks.get('text')?.words ?? 0).toLocaleString('en');
    /** @param {any} event */
    const use = (event) => {
      event.preventDefault();
      const fields = event.target.elements;
      onText(fields.text.value, fields.level.value);
    };
    /** @param {any} event */
    const type = ({ currentTarget: { elements } }) => onDraft(elements.text.value, elements.level.value);
    /** @param {any} event */
    async function open({ target }) {
      const [file] = target.files;
      const { level: chosen } = target.form.elements;
      target.value = ''; // the same one can be opened once more
      if (!file) return;
      const refuse = (/** @type {string} */ why) =>
        set({ problem: { field: 'text', text: `${file.name}: ${why}`, typed: text } });
      if (file.size > MOST) return refuse(`must have at most ${MOST.toLocaleString('en')} bytes`);
      const content = await file.text();
      if (content.includes('\0')) refuse('must be text, not the bytes of another kind of file');
      else onText(content, chosen.value);
    }
    const shown = draft ?? { text, level };
    return html`<form class="train-text" @submit=${use} @input=${type}>
      <label for="train-text">Your text: paste or type it here</label>
      <textarea id="train-text" name="text" rows="6" spellcheck="false" .value=${live(shown.text)}
        aria-invalid=${wrong ? 'true' : nothing} aria-describedby="train-text-note"></textarea>
      <div class="buttons">
        <label class="train-speed">Tokens
          <select name="level">
            <option value="words" ?selected=${shown.level === 'words'}>words</option>
            <option value="characters" ?selected=${shown.level === 'characters'}>characters</option>
          </select>
        </label>
        <button>Use this text</button>
        <label class="button">Open a text file…<input type="file" class="visually-hidden" accept="text/*,.txt,.md"
          @change=${open}></label>
      </div>
      <p class=${wrong || draft ? '' : 'hint'} id="train-text-note">
        ${
          wrong
            ? html`<span class="error" role="alert">${draft ? 'This text is not trained on: ' : ''}${wrong}</span>`
            : draft
              ? 'This text is not trained on yet: “Train” or “Use this text” begins a run with it.'
              : `${size} in the vocabulary, made of the text.`
        }
        The text stays on this machine: a link does not carry it.
      </p>
      ${split && !draft ? html`<p class="hint train-split">${heldOutText(split, level)}</p>` : nothing}
    </form>`;
  },
};
