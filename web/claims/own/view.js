// A claim that the reader writes: its form, or the card that its link opens. Nothing runs before the click.

import { html, nothing } from 'lit-html';
import { progressBar } from '../progress.js';
import { foundOf } from './found.js';
import { form, changed } from './form.js';
import css from './own.css';
import { costOf, measured, planText, readOwn, settingsOf, thresholdText, writeOwn } from './spec.js';
import { writeAddress } from '../address.js';
import { VERDICTS, word } from '../verdict.js';
import { aboutText, durationText } from '../../draw/duration.js';
import { addStyle } from '../../draw/style.js';
import { copyText } from '../../export/file.js';
import { connectTrainer } from '../../train/client.js';
import { inWords } from '../../shared/in-words.js';

/**
 * @typedef {import('./spec.js').Spec} Spec
 * @typedef {ReadonlyMap<string, import('./spec.js').Facts>} Tasks
 * @typedef {{
 *   tasks: Tasks | null, problem: string, draft: URLSearchParams | null, key: string, share: number | null,
 *   found: import('./found.js').OwnFound | null, seconds: number, bet: string, said: string,
 * }} OwnState `key`: the link of which the rest is; `share`: of the run under way
 */

/** @param {() => void} update draws the page again */
export function create(update) {
  addStyle(css);
  let isBeginning = false;
  /** @type {AbortController | null} */
  let running = null;
  /** @type {OwnState} */
  let state = { tasks: null, ...fresh('') };

  /** @param {Partial<OwnState>} patch */
  function set(patch) {
    state = { ...state, ...patch };
    update();
  }

  function stop() {
    running?.abort();
    running = null;
    state.share = null;
  }

  /** @param {import('../view.js').ClaimsActions['scriptUrl']} scriptUrl */
  async function begin(scriptUrl) {
    isBeginning = true;
    try {
      const tasks = await withTrainer(scriptUrl, (client) => client.tasks());
      set({ tasks: new Map(tasks.map((facts) => [facts.name, facts])) });
    } catch (error) {
      set({ problem: inWords(error) });
    }
    isBeginning = false;
  }

  /**
   * @param {Spec} spec @param {import('../view.js').ClaimsActions['scriptUrl']} scriptUrl
   * @param {import('../state.js').ClaimsState['ownResults']} results
   */
  async function run(spec, scriptUrl, results) {
    const mine = (running = new AbortController());
    const began = performance.now();
    const facts = /** @type {import('./spec.js').Facts} */ (state.tasks?.get(spec.task));
    addEventListener('hashchange', () => mine === running && (stop(), update()), { once: true });
    set({ share: 0, problem: '', found: null });
    try {
      const { signal } = mine;
      const request = {
        ...{ task: spec.task, source: null, variants: [settingsOf(spec, facts)], until: spec.steps, example: 0 },
        seeds: Array.from({ length: spec.seeds }, (_, i) => spec.seed + i),
        ...{ seed: 0, signal },
        onProgress: (/** @type {{step: number}} */ { step }) =>
          void (mine === running && set({ share: step / spec.steps })),
      };
      const report = await withTrainer(scriptUrl, (client) => client.twins(request), signal);
      if (mine !== running) return;
      running = null;
      const found = foundOf(spec, report);
      results.keep(resultOf(spec, state.bet, found));
      set({ share: null, found, seconds: (performance.now() - began) / 1000 });
    } catch (error) {
      if (mine !== running) return;
      running = null;
      set({ share: null, problem: inWords(error) });
    }
  }

  /** @param {import('../state.js').ClaimsState} claims @param {import('../view.js').ClaimsActions} actions */
  return ({ address: { own = '' }, ownResults }, { scriptUrl }) => {
    if (own !== state.key) {
      stop();
      state = { ...state, ...fresh(own) };
    }
    if (!state.tasks && !state.problem && !isBeginning) begin(scriptUrl);
    if (state.problem && !state.tasks)
      return html`<p class="notices" role="alert">The worker of this card failed: ${state.problem}
        <button type="button" @click=${() => set({ problem: '' })}>Try again</button></p>`;
    if (!state.tasks) return html`<p class="hint">Loading…</p>`;
    const parts = new URLSearchParams(own);
    const { spec } = readOwn(parts, state.tasks);
    const isForm = !spec || parts.has('edit');
    return html`<section class="panel claims-own" aria-labelledby="claims-own">
      <p class="claims-way"><a href=${writeAddress({ view: 'course' })}>All claims</a>
        ${isForm ? nothing : html`<a href=${`${writeOwn(spec)}&edit=1`}>Change it</a>`}</p>
      ${
        isForm
          ? form(state.draft ?? parts, state.tasks, {
              onInput: (event) => set({ draft: changed(event, /** @type {Tasks} */ (state.tasks)) }),
              onMake: (made) => (location.hash = writeOwn(made)),
            })
          : card(spec, state, {
              onRun: () => run(spec, scriptUrl, ownResults),
              onCancel: () => (stop(), update()),
              onBet: (bet) => set({ bet }),
              onCopy: async () =>
                set({
                  said: (await copyText(location.href)) ? 'The link is copied.' : 'The address bar has the link.',
                }),
            })
      }
    </section>`;
  };
}

/** As it is kept. @param {Spec} spec @param {string} bet @param {import('./found.js').OwnFound} found */
const resultOf = (spec, bet, { outcome }) => ({
  ...{ link: writeOwn(spec), sentence: spec.own, plan: planText(spec), bet, verdict: outcome },
});

/** What belongs to a link. @param {string} key */
const fresh = (key) => ({
  ...{ problem: '', draft: null, key, share: null, found: null, seconds: 0, bet: '', said: '' },
});

/**
 * With a worker that ends then, or when it is given up: as long as it lives, it keeps its models.
 * @template T
 * @param {import('../view.js').ClaimsActions['scriptUrl']} scriptUrl
 * @param {(client: import('../../train/client.js').TrainClient) => Promise<T>} action
 * @param {AbortSignal} [signal]
 */
async function withTrainer(scriptUrl, action, signal) {
  const client = connectTrainer(scriptUrl);
  signal?.addEventListener('abort', client.end);
  try {
    return await action(client);
  } finally {
    client.end();
  }
}

/**
 * @param {Spec} spec @param {OwnState} state
 * @param {{onRun: () => void, onCancel: () => void, onBet: (bet: string) => void, onCopy: () => void}} actions
 */
function card(spec, { tasks, share, found, seconds, bet, said, problem }, { onRun, onCancel, onBet, onCopy }) {
  const facts = /** @type {import('./spec.js').Facts} */ (tasks?.get(spec.task));
  const cost = costOf(spec, facts);
  const isRunning = share !== null;
  return html`<p class="hint">A claim that someone wrote. The author of this link, not a textbook, chose the test.</p>
    <h3 id="claims-own" class="claims-sentence" tabindex="-1" dir="auto">${spec.own}</h3>
    <p>${planText(spec)}</p>
    <fieldset class="claims-own-bet" ?disabled=${isRunning || found !== null}>
      <legend>Your bet, if you like</legend>
      ${VERDICTS.map(
        (each) => html`<label
          ><input type="radio" name="own-bet" .checked=${bet === each} @change=${() => onBet(each)} /> ${each}</label
        >`,
      )}
    </fieldset>
    <p class="claims-own-run">
      <button type="button" class=${found ? '' : 'primary'} @click=${isRunning ? onCancel : onRun}
        >${isRunning ? 'Cancel' : found ? 'Run again' : 'Run'}</button
      >
      ${
        isRunning
          ? progressBar(share, 'Running the claim')
          : html`<span class="hint"
              >${
                found
                  ? `It took ${durationText(seconds)}.`
                  : `${spec.seeds} × ${spec.steps.toLocaleString('en')} steps: ${aboutText(cost)}, in this tab.`
              }</span
            >`
      }
      <button type="button" @click=${onCopy}>Copy link</button> <span role="status">${said}</span>
    </p>
    <p class="error" role="alert" ?hidden=${!problem}>The claim could not be run: ${problem}</p>
    <div role="status">${found ? result(spec, found, bet) : nothing}</div>`;
}

/** @param {string} bet @param {string} verdict */
const betText = (bet, verdict) => (!bet ? '' : bet === verdict ? 'As you bet.' : `You bet: ${bet}.`);

/** @param {Spec} spec @param {import('./found.js').OwnFound} found @param {string} bet */
const result = (spec, { values, agrees, outcome }, bet) => html`<p class="claims-verdict">
    ${word(outcome)} <span>${outcome.found} ${betText(bet, outcome.verdict)}</span>
  </p>
  <table class="claims-own-values">
    <thead>
      <tr><th scope="col">Seed</th><th scope="col">Measured</th><th scope="col">Counts as true</th></tr>
    </thead>
    <tbody>
      ${values.map(
        (value, i) => html`<tr>
          <th scope="row">${spec.seed + i}</th>
          <td><data value=${String(value)}>${measured(spec, value)}</data></td>
          <td>${agrees[i] ? 'yes' : 'no'}</td>
        </tr>`,
      )}
    </tbody>
  </table>
  <p class="hint">What this does not show: anything beyond this task, this size and these seeds. The author chose the
    threshold, ${thresholdText(spec)}.</p>`;
