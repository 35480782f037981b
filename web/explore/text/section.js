import { html } from 'lit-html';

export const section = html`
  <div class="texts" id="texts">
    <div class="text-field" id="text-field">
      <label for="text" id="text-label">Sentence</label>
      <textarea
        id="text" rows="1" dir="auto" spellcheck="false" autocomplete="off" aria-describedby="notices"
      ></textarea>
    </div>
    <div class="text-field" id="target-field" hidden>
      <label for="target-text">Target sentence (for the decoder)</label>
      <textarea
        id="target-text" rows="1" dir="auto" spellcheck="false" autocomplete="off" aria-describedby="notices"
      ></textarea>
    </div>
  </div>`;
