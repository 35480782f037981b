import { html } from 'lit-html';

export const section = html`
  <section class="panel" aria-labelledby="logit-lens-title" data-optional>
    <h2 id="logit-lens-title">Logit lens: what each layer would already answer</h2>
    <div id="logit-lens"></div>
    <p class="hint">
      Here the output table reads the stream before its time, after every layer. Where the answer changes or grows sure,
      that layer did the work; early rows are often odd, as those vectors were never trained to be read like this.
    </p>
  </section>`;
