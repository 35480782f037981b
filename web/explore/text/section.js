import { html } from 'lit-html';

export const section = html`
  <div id="texts">
    <div class="texts">
      <div class="text-field" id="text-field">
        <label for="text" id="text-label">Sentence</label>
        <textarea
          id="text" rows="1" wrap="off" placeholder="Type a sentence"
          dir="auto" spellcheck="false" autocomplete="off" autocapitalize="off"
          aria-autocomplete="list" aria-controls="completions" aria-describedby="text-note"
        ></textarea>
      </div>
      <div class="text-field" id="target-field" hidden>
        <label for="target-text">Target sentence (for the decoder)</label>
        <textarea
          id="target-text" rows="1" wrap="off" placeholder="Type its target"
          dir="auto" spellcheck="false" autocomplete="off" aria-describedby="text-note"
        ></textarea>
      </div>
    </div>
    <div class="text-below">
      <p class="text-note" id="text-note" role="status" tabindex="-1"></p>
      <div class="suggestions" id="suggestions" role="group" aria-label="Known words instead" hidden></div>
      <div class="completions" id="completions" role="listbox" aria-label="Words that the model knows" hidden></div>
    </div>
  </div>`;
