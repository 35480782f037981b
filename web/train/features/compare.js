// Compare: up to three runs side by side over seeds. The reader chooses the runs that differ, the seeds, the steps and
// a threshold, and predicts the winner; only then can it start. The curves grow on the same axes. In the end stands how
// many seeds of each run reached the threshold, and whether the reader was right. Each seed of a run opens as a run of
// its own; the address holds the comparison, and whoever opens it predicts first, too.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { hueOf } from '../../draw/color.js';
import { tableOf } from '../../draw/figure.js';
import { chart } from '../../kit/chart.js';
import { figure } from '../../kit/figure.js';
import { hasEnded } from '../../kit/trap.js';
import { inWords } from '../../kit/in-words.js';
import { writeAddress } from '../schema.js';
import {
  MOST_OTHERS,
  MOST_STEPS,
  SEEDS,
  THRESHOLDS,
  changeTo,
  firstComparison,
  nameOf,
  othersOf,
  race,
  reachedBy,
  writeRun,
} from '../comparison.js';
import { bestRates, expectedOf, measuredRows, short, summary } from '../settings/expected.js';
import { parametersOf } from '../settings/blocks.js';
import { isBlock, labelOf } from '../settings/settings.js';
import { isRecipe } from '../state.js';
import { TEXTS, percent } from '../tasks.js';
import { LEVEL, leastP, winnerOf } from '../winner.js';
import style from './compare.css';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {import('../comparison.js').Comparison} Comparison
 * @typedef {import('../run/compare.js').ComparisonReport} Report
 * @typedef {Comparison & {
 *   names: string[], numbers: number[], said: string, report: Report | null, running: boolean,
 * }} Trained what is or was trained; `numbers`: the seeds; `said`: the name of the run that was to win, 'none': neither
 * @typedef {{asked: Comparison, steps: string, said: string, problem: string, trained: Trained | null}} Local
 *   `asked`: in the form; `steps`: as typed
 * @typedef {{page: TrainState, local: Local, tools: Tools}} Shown
 */

const COLUMNS = [
  'Run',
  'Parameters',
  'Rate',
  '99 % reached',
  'at step',
  'right at the end',
  'held-out loss',
  'seconds',
  'p',
];
const DASHES = ['none', '6 3', '2 2'];
const HEIGHT = 170; // px
const share = (/** @type {number} */ value) => `${Math.round(1000 * value) / 10} %`;

/** The running comparison. @type {{client: ReturnType<Tools['connect']> | null, training: AbortController | null}} */
const job = { client: null, training: null };

/** @type {import('../index.js').Feature} */
export const compare = {
  name: 'compare',
  style,
  begin({ get, watch, local: remember }) {
    /** @type {unknown[]} what the runs are of */
    let base = [];
    /** Another task, or another run, was chosen: ends the comparison under way. */
    function follow() {
      const { task, start: settings, text, level, comparison, before: last } = get();
      const now = [task, settings, text, level];
      if (now.every((each, i) => each === base[i]) || !isBlock(settings)) return;
      base = now;
      job.training?.abort();
      job.client?.end();
      Object.assign(job, { client: null, training: null });
      const before = last && changeTo(settings, last.settings);
      const first = firstComparison(task, settings);
      const asked = comparison ?? (before && Object.keys(before).length ? { ...first, changes: [before] } : first);
      remember({ asked, steps: String(asked.within), said: '', problem: '', trained: null });
    }
    follow();
    watch(follow);
  },
  render({ state: page, scheme, local }, tools) {
    // The report may still be of the task before; `follow` may come after this drawing.
    if (!isBlock(page.start) || !local) return null;
    const shown = { page, local, tools };
    return html`${form(shown)}${local.trained ? results(page, local.trained, scheme) : nothing}${
      isRecipe(page) ? measuredBefore() : nothing
    }`;
  },
};

/** @param {Shown} shown */
async function start({ page, local, tools }) {
  const { steps, said } = local;
  const { local: remember } = tools;
  const within = Number(steps);
  if (!(Number.isInteger(within) && within >= 1 && within <= MOST_STEPS)) {
    const most = MOST_STEPS.toLocaleString('en');
    return remember({ problem: `Steps: must be an integer from 1 to ${most}, not ${steps || 'empty'}.` });
  }
  const asked = { ...local.asked, within };
  const controller = (job.training = new AbortController());
  const isMine = () => job.training === controller;
  const names = ['as set', ...asked.changes.map(nameOf)];
  const numbers = asked.seeds === 1 ? [Number(page.start.seed)] : Array.from({ length: asked.seeds }, (_, i) => i);
  /** @type {Trained} */
  let trained = { ...asked, names, numbers, said, report: null, running: true };
  remember({ asked, problem: '', trained });
  tools.onCompare(asked);
  try {
    job.client ??= tools.connect();
    await job.client.compare({
      ...requestOf(page, asked, numbers),
      signal: controller.signal,
      onProgress(report) {
        trained = { ...trained, report };
        if (isMine()) remember({ trained });
      },
    });
  } catch (error) {
    const ended = hasEnded(/** @type {any} */ (error));
    if (isMine() && ended) job.client = null; // the next one starts another worker
    const problem = ended ? 'The training has stopped. Start it again.' : inWords(/** @type {any} */ (error), labelOf);
    if (isMine()) remember({ problem });
  }
  if (!isMine()) return;
  job.training = null;
  remember({ trained: { ...trained, running: false } });
}

/** @param {TrainState} page @param {Comparison} asked @param {number[]} seeds */
const requestOf = ({ task, start, text, level }, { changes, within }, seeds) => ({
  task,
  source: task === 'text' ? { text, level: /** @type {'words' | 'characters'} */ (level) } : null,
  variants: [start, ...changes.map((change) => ({ ...start, ...change }))],
  seeds,
  until: within,
});

/**
 * The runs that can stand beside the present one: the switches, what a link asked for, the run before.
 * @param {Shown} shown
 */
function offered({ page, local: { asked } }) {
  const others = othersOf(page.task, page.start, page.tasks.get(page.task));
  const before = page.before && changeTo(page.start, page.before.settings);
  for (const change of [...asked.changes, ...(before ? [before] : [])])
    if (Object.keys(change).length && !others.some((each) => writeRun(each.change) === writeRun(change)))
      others.push({ name: nameOf(change), change, lesson: '' });
  return others;
}

/** The form, of which the prediction is of what it asks. @param {Shown} shown */
function form(shown) {
  const { page, local, tools } = shown;
  const { asked, said, problem, steps, trained } = local;
  const remember = (/** @type {Partial<Local>} */ patch) => tools.local(patch);
  const choose = (/** @type {Partial<Comparison>} */ patch) => remember({ asked: { ...asked, ...patch }, said: '' });
  const { unit } = TEXTS[page.task];
  const running = Boolean(trained?.running);
  const isReady = Boolean(said && asked.changes.length) && !running;
  const count = asked.seeds === 1 ? 'with this seed' : `with more of ${asked.seeds} seeds`;
  const test = leastP(asked.seeds) < LEVEL ? ` (p < ${short(LEVEL)})` : '';
  /** @param {any} event */
  const submit = (event) => {
    event.preventDefault();
    if (isReady) start(shown);
  };
  /** @param {import('../comparison.js').Other} run */
  const other = ({ name, change, lesson }) => {
    const others = asked.changes.filter((each) => writeRun(each) !== writeRun(change));
    const taught = trained && !running && isRecipe(page) && lesson;
    const isChosen = others.length < asked.changes.length;
    const changes = isChosen ? others : [...others, change].slice(-MOST_OTHERS);
    return html`<label class="train-flag">
      <input type="checkbox" .checked=${live(isChosen)} @change=${() => choose({ changes })}>
      <span>${name}${taught ? html` <span class="hint">${taught}</span>` : nothing}</span>
    </label>`;
  };
  /** @param {string} value @param {string} label */
  const guess = (value, label) => html`<label class="train-flag"><input type="radio" name="compare-said"
    .checked=${live(said === value)} @change=${() => remember({ said: value })}>${label}</label>`;
  /**
   * @param {string} label @param {number[]} values @param {'seeds' | 'threshold'} name
   * @param {(value: number) => string} text
   */
  const select = (label, values, name, text) => html`<label class="train-speed">${label}
    <select ?disabled=${running}
      @change=${(/** @type {any} */ { target }) => choose({ [name]: Number(target.value) })}>
      ${[...new Set([...values, asked[name]])]
        .sort((a, b) => a - b)
        .map((each) => html`<option value=${each} .selected=${live(each === asked[name])}>${text(each)}</option>`)}
    </select></label>`;
  const size = /** @type {import('../state.js').TaskFacts} */ (page.tasks.get(page.task));
  const rates = bestRates(page.task, Number(size.recipe.learningRate));
  const blocks = race(page.start, size, rates);
  return html`<form class="compare-form" novalidate @submit=${submit}>
    ${
      blocks
        ? html`<div class="buttons">
            <button type="button" class="compare-race" ?disabled=${running}
              @click=${() => remember({ asked: blocks, steps: String(blocks.within), said: '', problem: '' })}>
              2017 against today
            </button>
            <span class="hint">
              At equal parameters, seeds and steps. ${
                rates.tuned
                  ? `Each block at its own best learning rate: 2017’s ${rates[2017]}, today’s ${rates.today}.`
                  : 'Both at the recipe’s learning rate, which was chosen for 2017’s block.'
              }
              2017: LayerNorm after each sublayer, added positions, a ReLU FFN, biases. Today: RMSNorm before it,
              rotary positions, a gated FFN, no biases, a key for two heads.
            </span>
          </div>`
        : nothing
    }
    <fieldset class="compare-others" ?disabled=${running}>
      <legend>Beside the run as it is set, up to ${MOST_OTHERS} that differ by</legend>
      ${offered(shown).map(other)}
    </fieldset>
    <p class="hint compare-parameters">
      Parameters: ${['as set', ...asked.changes.map(nameOf)]
        .map((name, i) => {
          const own = { ...page.start, ...asked.changes[i - 1] };
          const wide = own.d_ff === page.start.d_ff ? '' : ` (d_ff ${own.d_ff})`;
          return `${name} ${parametersOf(own, size).toLocaleString('en')}${wide}`;
        })
        .join('; ')}.
    </p>
    <div class="buttons">
      ${select('Seeds', SEEDS, 'seeds', (each) => (each === 1 ? `${page.start.seed}, as set` : `0 to ${each - 1}`))}
      <label class="train-speed">Steps
        <input class="compare-steps" type="number" min="1" ?disabled=${running} .value=${live(steps)}
          aria-invalid=${problem ? 'true' : nothing} aria-describedby="compare-problem"
          @input=${(/** @type {any} */ { target }) => remember({ steps: target.value, problem: '' })}>
      </label>
      ${select('Threshold', THRESHOLDS, 'threshold', share)}
    </div>
    <fieldset class="compare-others" ?disabled=${running || !asked.changes.length}>
      <legend>
        Predict first: which run reaches ${share(asked.threshold)} of the held-out ${unit} ${count}, or sooner${test}?
      </legend>
      ${['as set', ...asked.changes.map(nameOf)].map((name) => guess(name, name))} ${guess('none', 'no difference')}
    </fieldset>
    <div class="buttons">
      <button ?disabled=${!isReady}>Start</button>
      <button type="button" ?disabled=${!running} @click=${() => job.training?.abort()}>Cancel</button>
      <span class="hint">The same task and data; weights of the same name and shape start with the same bits.</span>
    </div>
    <p class="error" id="compare-problem" role="alert" ?hidden=${!problem}>${problem}</p>
  </form>`;
}

/** @param {TrainState['scheme']} scheme @param {number} run */
const lineOf = (scheme, run) => ({ color: hueOf(scheme, run).color, dash: DASHES[run] });

/** @param {TrainState} page @param {Trained} now @param {TrainState['scheme']} scheme */
function results(page, now, scheme) {
  const { names, numbers, within, report, running } = now;
  return html`<div class="compare-results" ${figure(report && savedOf(page, now, report))}>
    <label class="train-speed compare-progress" ?hidden=${!running}
      >Step ${report?.step ?? 0} of ${within}, ${names.length * numbers.length} runs in turn
      <progress max=${within} value=${report?.step ?? 0}></progress>
    </label>
    ${
      report
        ? html`<div role="status" class="compare-verdict">${running ? nothing : verdict(page, now, report)}</div>
          <ul class="train-runs" aria-label="Lines of the curves">
            ${names.map((name, i) => {
              const { color, dash } = lineOf(scheme, i);
              return html`<li>
                <svg class="train-sample" width="26" height="10" aria-hidden="true">
                  <path d="M0 5H26" stroke=${color} stroke-dasharray=${dash} stroke-width="2"></path>
                </svg>
                ${name}
              </li>`;
            })}
          </ul>
          <figure>
            <figcaption class="hint">
              Held-out ${TEXTS[page.task].unit} right: a line for each seed, and the threshold
            </figcaption>
            <div class="compare-chart">${chart(curvesOf(page, now, report, scheme), { height: HEIGHT })}</div>
          </figure>
          ${table(page, now, report)}`
        : nothing
    }
  </div>`;
}

/** @param {TrainState} page @param {Trained} now @param {Report} report */
function verdict(page, { names, numbers, threshold, within, said: guess }, { checks, step }) {
  const { measure, unit } = TEXTS[page.task];
  const reached = reachedBy(checks, measure, threshold);
  const { run: winner, p } = winnerOf(reached, within);
  const seeds = `${numbers.length} seed${numbers.length === 1 ? '' : 's'}`;
  const lines = names.map((name, run) => {
    const count = reached[run].filter((each) => each !== null).length;
    return html`<li>
      <strong>${name}</strong> reaches ${share(threshold)} of the held-out ${unit} within ${step} steps in ${count} of
      ${seeds}.
    </li>`;
  });
  const came = winner === null ? 'none' : names[winner];
  const words = (/** @type {string} */ name) => (name === 'none' ? 'no difference' : `“${name}”`);
  return html`<ul class="compare-sentences">${lines}</ul>
    <p>
      ${
        step < within
          ? 'It was cancelled before its last step.'
          : `You predicted ${words(guess)}: ${guess === came ? 'right' : `it was ${words(came)}`}.`
      }
    </p>
    <p class="hint">${chance(p, numbers.length)}</p>
    ${isRecipe(page) ? expectedOf(page, names).map((line) => html`<p class="hint">${line}</p>`) : nothing}`;
}

/** States the evidence that the seeds give. @param {number | null} p of the difference @param {number} seeds */
function chance(p, seeds) {
  if (p === null) return 'Fewer than four seeds cannot rule out chance.';
  const found = p < LEVEL ? 'chance rarely does that' : `no difference that ${seeds} seeds show`;
  return (
    `Exact permutation test of the steps, failures counted as after the last one: p = ${short(p)}, ${found} ` +
    `(p < ${short(LEVEL)} counts).`
  );
}

/** Shows the blocks' measurements for all tasks, closed because they give the prediction away. */
function measuredBefore() {
  const caption =
    'Seeds 0 to 4; Rate: the learning rate as a multiple of the recipe’s; the mean held-out loss; processor time of ' +
    'one run; p: today’s block against 2017’s';
  return html`<details class="compare-known">
    <summary>2017 against today: what was measured of all tasks</summary>
    <p>${summary()}</p>
    <p class="hint" id="compare-known-caption">${caption}.</p>
    <div class="compare-scroll" tabindex="0" role="group" aria-labelledby="compare-known-caption">
      <table class="compare-measured">
        <thead>
          <tr>
            ${COLUMNS.map((each) => html`<th scope="col">${each}</th>`)}
          </tr>
        </thead>
        ${measuredRows().map(
          ({ title, rows }) => html`<tbody>
            <tr><th scope="rowgroup" colspan=${COLUMNS.length}><strong>${title}</strong></th></tr>
            ${rows.map(
              ([name, ...cells]) => html`<tr>
                <th scope="row">${name}</th>
                ${cells.map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
            )}
          </tbody>`,
        )}
      </table>
    </div>
  </details>`;
}

/** @param {TrainState} page @param {Trained} now @param {Report} report */
function table(page, { names, numbers, changes, threshold }, { checks, failures, step }) {
  const { task, start: settings, tasks } = page;
  const { unit, measure } = TEXTS[task];
  const reached = reachedBy(checks, measure, threshold);
  const recipe = tasks.get(task)?.recipe ?? {};
  return html`<p class="hint" id="compare-caption">
        Share of held-out ${unit} right after ${step} steps, and the step at which ${share(threshold)} were
        reached${task === 'text' ? '' : '; a share opens its run in another tab'}.${
          unit === 'rows' ? ' Each seed is tested on its own held-out rows, a run on those of seed 0.' : ''
        }
</p>
<div class="compare-scroll" tabindex="0" role="group" aria-labelledby="compare-caption">
    <table class="compare-table">
      <thead>
        <tr><td></td>${numbers.map((seed) => html`<th scope="col">seed ${seed}</th>`)}</tr>
      </thead>
      <tbody>
        ${names.map(
          (name, run) => html`<tr>
            <th scope="row">${name}</th>
            ${numbers.map((seed, i) => {
              const failed = failures[i][run];
              const last = checks[i][run].at(-1);
              const own = { ...settings, ...changes[run - 1], seed };
              const at = reached[run][i] === null ? '' : `, at ${reached[run][i]}`;
              const text = failed ? `not finite at ${failed}` : last ? percent(last[measure]) + at : '–';
              const to = writeAddress({ task, settings: own, step: failed ? failed - 1 : step }, recipe);
              return html`<td>
                ${task === 'text' || !step ? text : html`<a href=${to} target="_blank">${text}</a>`}
              </td>`;
            })}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Each run of each seed. @param {Trained} now @param {Report} report */
const listsOf = ({ names, numbers }, { checks }) =>
  checks.flatMap((group, seed) =>
    group.map((list, run) => ({ name: `${names[run]}, seed ${numbers[seed]}`, list, run })),
  );

/** @param {TrainState} page @param {Trained} now @param {Report} report @param {TrainState['scheme']} scheme */
function curvesOf({ task }, now, report, scheme) {
  const { measure, unit } = TEXTS[task];
  const { within, threshold } = now;
  const all = listsOf(now, report);
  const last = all.map(({ name, list }) => `${name} ${percent(list[list.length - 1][measure])}`).join('; ');
  return {
    title: unit,
    xTitle: 'step',
    to: within,
    at: report.step,
    lines: [
      ...all.map(({ name, list, run }) => ({
        name,
        xs: list.map((each) => each.step),
        ys: list.map((each) => each[measure]),
        ...lineOf(scheme, run),
      })),
      { name: 'threshold', xs: [0, within], ys: [threshold, threshold], color: 'var(--soft)', dash: '1 4' },
    ],
    high: 1,
    format: (/** @type {number} */ value) => `${Math.round(100 * value)} %`,
    summary: `Held-out ${unit} right after ${report.step} steps: ${last}`,
  };
}

/** @param {TrainState} page @param {Trained} now @param {Report} report */
function savedOf({ task }, now, report) {
  const { measure, unit, title } = TEXTS[task];
  const all = listsOf(now, report);
  const names = all.map(({ name }) => name);
  const [[first]] = report.checks;
  /** @type {[string, ...number[]][]} */
  const rows = first.map(({ step }, i) => [`step ${step}`, ...all.map(({ list }) => list[i]?.[measure] ?? NaN)]);
  const tables = () => [tableOf(`Held-out ${unit} right`, names, rows)];
  return { name: `Comparison of ${title}`, select: '.compare-chart', tables };
}
