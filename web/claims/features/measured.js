// The measurement of a card: the run under way, its verdict beside the bet, figure, reasons and numbers, and links to
// other views of the same.

import { html, nothing } from 'lit-html';
import { durationText } from '../../draw/duration.js';
import { onAddress } from '../../kit/link.js';
import { createTask } from '../../kit/task.js';
import { experiment } from '../experiment.js';
import { isContrast, switchesText, valueOf, writeAddress } from '../schema.js';
import { NO_ANSWER } from '../kept-answers.js';
import { guessedOf, missText, panelOf } from '../guess.js';
import { allowance, bounds, listOf, rowsOf, span } from '../numbers.js';
import { picture } from '../pictures/picture.js';
import { plainVerdict, progressBar, verdictBadge, words } from '../wording.js';
import { forget, isFresh, shownClaims } from '../state.js';
import style from './measured.css';

/**
 * @typedef {import('../state.js').ClaimsState} ClaimsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../state.js').Result} Result
 * @typedef {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} Tools
 * @typedef {{key: string, share: number, problem: string}} Opening of the card's model in Explore; `key`: its address
 */

const MOST_LISTED = 10;

/** The task that opens the card's model. */
const task = createTask();

/** @type {import('../index.js').Feature} */
export const measured = {
  name: 'measured',
  slot: 'columns',
  style,
  local: /** @type {Opening} */ ({ key: '', share: 0, problem: '' }),
  begin: () => void onAddress(task.stop),
  render({ state, claim, local }, tools) {
    const { progress, soFar, problem, related } = state;
    if (!claim || !state.revealed) return null;
    const answer = state.answers.get(claim.number);
    const kept = keptOf(state, claim);
    const result = soFar ? null : (state.result ?? kept);
    const drawn = soFar ?? state.result;
    const freshness = isFresh(state) ? 'claims-fresh' : kept ? 'claims-kept' : 'claims-stale';
    return html`<section class="claims-found" aria-labelledby="claims-found" aria-busy=${progress !== null}>
      <h4 id="claims-found" class="visually-hidden" tabindex="-1">What is measured</h4>
      <div class="claims-result ${soFar ? '' : freshness}">
        <div class="claims-said">
          ${result && !isFresh(state) ? earlier(claim, result, answer.when, kept !== null) : nothing}
          ${progress !== null ? running(state, claim, progress, tools) : nothing}
          ${progress === null && !isFresh(state) && !problem ? waiting(state, claim, tools) : nothing}
          <div role="status">${result ? verdictOf(claim, answer, result, tools) : nothing}</div>
          ${result ? reasons(claim) : nothing} ${steps(state, claim, answer, tools)}
          ${next(state, claim)}
        </div>
        ${drawn ? figure(claim, drawn, guessedOf(claim, answer.guess, drawn)) : nothing}
      </div>
      <details class="claims-fold" ?hidden=${!result}>
        <summary>Experiment, numbers, limits, literature</summary>
        ${experiment(claim)} ${limits(claim)}
        ${result ? html`${numbers(claim, result)} ${runText(claim, result)}` : nothing}
      </details>
      ${
        related?.ownModel || related?.matching
          ? html`<details class="claims-fold">
              <summary>See it in Explore or Train</summary>
              ${related.ownModel ? ownModel(state, claim, related.ownModel, local, tools) : nothing}
              ${
                related.matching
                  ? html`<p class="claims-matching">
                      <a href=${related.matching.href}>Open in ${related.matching.place}</a>
                      <span class="hint">${words(related.matching.note)}</span>
                    </p>`
                  : nothing
              }
            </details>`
          : nothing
      }
    </section>`;
  },
};

/** @param {ClaimsState} state @param {ClaimData} claim @param {number} progress @param {Tools} tools */
const running = ({ address, soFar }, claim, progress, { cancel }) =>
  html`<p class="claims-running">
    ${progressBar(progress, 'Progress of the experiment')}
    ${
      claim.seeded
        ? html`<span>${soFar?.params.seeds ?? 0} of ${valueOf(claim, address.params, 'seeds')} seeds</span>`
        : nothing
    }
    <button type="button" @click=${cancel}>Cancel</button>
  </p>`;

/** @param {ClaimsState} state @param {ClaimData} claim @param {Tools} tools */
function waiting(state, claim, { run }) {
  const isKept = keptOf(state, claim) !== null;
  return html`<p class="claims-waiting">
    <button type="button" class="claims-main" @click=${run}>${isKept ? 'Run again' : 'Run'}</button>
    <span class="hint">
      ${claim.long ? 'It takes some seconds.' : 'It was not run to its end.'}
      ${isKept ? 'The figure comes with the run.' : nothing}
    </span>
  </p>`;
}

/**
 * @param {ClaimData} claim @param {Pick<Result, 'picture'>} run
 * @param {import('../guess.js').Guessed | null} guessed
 */
const figure = (claim, run, guessed) =>
  picture({ panels: run.picture, first: guessed && panelOf(guessed), name: `Claim ${claim.number}` });

/**
 * The verdict in a plain sentence: of the choices the one that came true.
 * @param {ClaimData} claim @param {import('../kept-answers.js').Answer} answer @param {Result} result
 * @param {Tools} tools
 */
function verdictOf(claim, answer, result, { setSwitches }) {
  const { outcome } = result;
  const guessed = guessedOf(claim, answer.guess, result);
  const plain = plainVerdict(claim, outcome);
  return html`<p class="claims-verdict">
      ${verdictBadge(outcome)} ${plain ? html`<em class="claims-plain">${words(plain)}</em>` : nothing}
      <span>${words(outcome.found)}</span>
    </p>
    ${agreement(claim, answer, result, setSwitches)}
    ${guessed ? html`<p class="claims-miss">${missText(guessed)}</p>` : nothing}`;
}

/**
 * The reader's next steps: the control or boundary of the card, and another bet.
 * @param {ClaimsState} state @param {ClaimData} claim @param {import('../kept-answers.js').Answer} answer
 * @param {Tools} tools
 */
function steps(state, claim, answer, { get, set, cancel, setSwitches }) {
  const { contrast, contrastKind: kind } = claim;
  const isSet = isContrast(claim, state.address.params);
  const betAgain = () => {
    cancel();
    state.answers.set(claim.number, NO_ANSWER);
    set(forget(get()));
  };
  return html`<p class="claims-contrast">
    <button type="button" @click=${() => setSwitches(isSet ? {} : contrast)}>
      ${isSet ? 'Back to the sentence' : `Run the ${kind}`}
    </button>
    <span class="hint">${words(switchesText(claim, contrast))}</span>
    ${
      answer.predicted === null
        ? nothing
        : html`<button type="button" class="claims-forget" @click=${betAgain}>Bet again</button>`
    }
  </p>`;
}

/**
 * The result of an earlier visit, on a card that is not run unasked: all but the numbers of its figure.
 * @param {ClaimsState} state @param {ClaimData} claim @returns {Result | null}
 */
function keptOf({ result, answers }, { number, long }) {
  const { verdict, comparisons, params, seconds } = answers.get(number);
  if (!long || result || !verdict || seconds === null) return null;
  return { outcome: verdict, comparisons, params, seconds, numbers: {}, picture: [] };
}

/** @param {ClaimData} claim @param {Result} result @param {number | null} when @param {boolean} isKept */
function earlier(claim, { params }, when, isKept) {
  const time = when && new Date(when).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' });
  const origin = !isKept ? 'Of the last run' : time ? `Found on ${time}` : 'Found before';
  return html`<p class="hint">
    ${origin}, ${words(switchesText(claim, params) || 'with the default switches')}:
  </p>`;
}

/**
 * @param {ClaimData} claim @param {import('../kept-answers.js').Answer} answer @param {Result} result
 * @param {Tools['setSwitches']} setSwitches
 */
function agreement(claim, { predicted }, { outcome }, setSwitches) {
  const choice = predicted === null ? undefined : claim.choices[predicted];
  if (outcome.kind !== 'sentence')
    return html`<p class="claims-agreement">
      ${choice ? html`You bet on the sentence: “${words(choice.label)}”` : 'This is not the sentence’s own run.'}
      <button type="button" @click=${() => setSwitches({})}>Run the sentence</button>
    </p>`;
  if (!choice) return nothing;
  return html`<p class="claims-agreement">
    ${choice.verdict === outcome.verdict ? 'As you expected.' : html`Not as you expected: “${words(choice.label)}”`}
  </p>`;
}

/** @param {ClaimData} claim @param {Result} result */
function numbers(claim, result) {
  const rows = rowsOf(claim, result);
  const known = rows.some(({ range }) => range);
  return html`<table class="claims-numbers">
      <caption class="visually-hidden">
        Numbers of this run beside the reference
      </caption>
      <thead>
        <tr>
          <th scope="col">Number</th>
          <th scope="col">Measured</th>
          ${known ? html`<th scope="col">Reference${claim.seeded ? ' (5 seeds)' : ''}</th>` : nothing}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => numberRow(row, known))}
      </tbody>
    </table>
    ${known ? nothing : html`<p class="hint">There are no reference numbers for these switches.</p>`}`;
}

/** @param {import('../numbers.js').Row} row @param {boolean} known whether there are references */
function numberRow({ label, values, range, allowed, within, share }, known) {
  const listed = listOf(values, share);
  const wider = range && allowed && allowance(range, allowed, share);
  return html`<tr>
    <th scope="row">${words(label)}</th>
    <td>
      <strong>${span(values, share)}</strong>${
        within === null
          ? nothing
          : within
            ? html` <span title="within the tolerance" role="img" aria-label="within the tolerance">✓</span>`
            : html` <span class="error">outside</span>`
      }
      ${
        new Set(listed).size > 1 && values.length <= MOST_LISTED
          ? html`<span class="hint claims-values">${listed.join(' · ')}${share ? ' %' : ''}</span>`
          : nothing
      }
    </td>
    ${
      known
        ? html`<td>
            ${range ? bounds(range, share) : '–'}${
              wider ? html`<span class="hint claims-values">allowed ${wider}</span>` : nothing
            }
          </td>`
        : nothing
    }
  </tr>`;
}

/** @param {ClaimData} claim @param {Result} result */
function runText(claim, { params, seconds }) {
  const [seed, count] = ['seed', 'seeds'].map((name) => Number(valueOf(claim, params, name)));
  const seeds = count === 1 ? `seed ${seed}` : `${count} seeds, ${seed} to ${seed + count - 1}`;
  return html`<p class="hint">
    Computed here in ${durationText(seconds)}${claim.seeded ? `, ${seeds}` : ', without random numbers'}.
  </p>`;
}

/** @param {ClaimData} claim */
const reasons = ({ why, overturn }) =>
  html`<dl class="claims-reasons">
    <dt>Why</dt>
    <dd>${words(why)}</dd>
    <dt>What would overturn this</dt>
    <dd>${words(overturn)}</dd>
  </dl>`;

/** The limits of a claim, and the literature for and against it. @param {ClaimData} claim */
const limits = ({ limits: text, literature }) =>
  html`<dl class="claims-reasons">
    <dt>What this does not show</dt>
    <dd>${words(text)}</dd>
    ${works('Literature for it', literature.for)} ${works('Literature against it', literature.against)}
  </dl>`;

/** @param {string} title @param {readonly string[]} all */
const works = (title, all) =>
  all.length
    ? html`<dt>${title}</dt>
        ${all.map((work) => html`<dd class="hint">${words(work)}</dd>`)}`
    : nothing;

/**
 * The card's own model in Explore, which is given up where the reader goes elsewhere.
 * @param {ClaimsState} state @param {ClaimData} claim @param {{hint: string}} related
 * @param {Opening} local @param {Tools} tools
 */
function ownModel({ address: { params } }, claim, { hint }, local, { client, explore, local: remember }) {
  const { number } = claim;
  const key = writeAddress({ number, params }, claim);
  if (local.key !== key) task.stop();
  const open = () => {
    remember({ key, share: 0, problem: '' });
    task.run(
      async (signal, onProgress) => {
        const model = await client.model({ number, params, signal, onProgress });
        if (!signal.aborted) await explore(model);
      },
      {
        progress: (/** @type {number} */ share) => remember({ share }),
        done: () => remember({}),
        failed: (problem) => remember({ problem }),
      },
    );
    remember({});
  };
  const cancel = () => (task.stop(), remember({}));
  const isRunning = task.isRunning();
  // One button, so that it keeps the focus.
  return html`<p class="claims-model">
      <button type="button" @click=${isRunning ? cancel : open}
        >${isRunning ? 'Cancel' : 'Open its model in Explore'}</button
      >
      ${isRunning ? progressBar(local.share, 'Training the card’s model') : html`<span class="hint">${hint}</span>`}
    </p>
    <p class="error" role="alert" ?hidden=${local.key !== key || !local.problem}
      >The model could not be opened in Explore: ${local.problem}</p
    >`;
}

/** Once the verdict was seen. @param {ClaimsState} state @param {ClaimData} claim */
function next(state, claim) {
  const { result, answers, address } = state;
  const { predict, cards } = address;
  if (!(result ?? answers.get(claim.number).verdict)) return nothing;
  const order = shownClaims(state);
  const to = order[order.indexOf(claim) + 1];
  const href = to ? writeAddress({ number: to.number, predict, cards }) : writeAddress({ view: 'list', cards });
  return html`<a class="claims-next" href=${href}>
    ${
      to
        ? html`<strong>Next claim</strong> ${words(to.sentence)}`
        : html`<strong>That was the last claim</strong> All claims, with what you found`
    }
  </a>`;
}
