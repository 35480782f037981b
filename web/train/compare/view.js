// Compare: up to three runs side by side over seeds. The reader chooses the runs that differ, the seeds, the steps and
// a threshold, and predicts the winner; only then can it start. The curves grow on the same axes. In the end stands how
// many seeds of each run reached the threshold, and whether the reader was right. Each seed of a run opens as a run of
// its own; the address holds the comparison, and whoever opens it predicts first, too.

import { html, nothing, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { hueOf } from '../../draw/color.js';
import { createCurves } from '../../draw/curves.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { addStyle } from '../../draw/style.js';
import { hasEnded } from '../../shared/trap.js';
import { inWords } from '../../shared/in-words.js';
import { writeAddress } from '../schema.js';
import { labelOf } from '../settings/settings.js';
import { TEXTS, percent } from '../tasks.js';
import {
  MOST_OTHERS,
  MOST_STEPS,
  SEEDS,
  THRESHOLDS,
  changeTo,
  firstComparison,
  nameOf,
  othersOf,
  reachedBy,
  winnerOf,
  writeRun,
} from './compare.js';
import css from './style.css';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('./compare.js').Comparison} Comparison
 * @typedef {import('../run/compare.js').ComparisonReport} Report
 * @typedef {Comparison & {
 *   names: string[], numbers: number[], said: string, report: Report | null,
 *   running: boolean,
 * }} Trained what is or was trained; `numbers`: the seeds; `said`: the name of the run that was to win, 'none': neither
 */

/**
 * @typedef {{
 *   page: TrainState, asked: Comparison, steps: string, said: string, problem: string, trained: Trained | null,
 * }} CompareState `page`: what the runs are of; `asked`: what the form says; `steps`: as typed
 * @typedef {{set: (patch: Partial<CompareState>) => void, choose: (patch: Partial<Comparison>) => void,
 *   start: () => void, cancel: () => void}} CompareActions
 */

const DASHES = ['none', '6 3', '2 2'];
const HEIGHT = 170; // px
/** @type {Comparison} */
const NONE = { changes: [], seeds: 1, within: 1, threshold: 1 };
const share = (/** @type {number} */ value) => `${Math.round(1000 * value) / 10} %`;

/**
 * @param {HTMLElement} root
 * @param {Pick<import('../view.js').TrainActions, 'connect' | 'onCompare'>} actions
 */
export function createCompare(root, { connect, onCompare }) {
  addStyle(css);
  /** @type {unknown[]} what the runs are of */
  let base = [];
  /** @type {CompareState} */
  const state = { page: /** @type {any} */ (null), asked: NONE, steps: '', said: '', problem: '', trained: null };
  /** @type {import('../train.js').TrainClient | null} */
  let client = null;
  /** @type {AbortController | null} */
  let training = null;
  /** @type {ReturnType<typeof createCurves> | null} */
  let chart = null;

  function draw() {
    const { trained } = state;
    render([form(state, actions), trained ? results(state, trained) : nothing], root);
    const box = /** @type {HTMLElement | null} */ (root.querySelector('.compare-chart'));
    if (!box || !trained?.report) chart = null;
    else drawChart(root, (chart ??= createCurves(box, { height: HEIGHT })), state.page, trained, trained.report);
  }

  /** @param {Partial<CompareState>} patch */
  function set(patch) {
    Object.assign(state, patch);
    draw();
  }

  const actions = {
    set,
    /** @param {Partial<Comparison>} patch the prediction was of something else */
    choose: (patch) => set({ asked: { ...state.asked, ...patch }, said: '' }),
    start,
    cancel: () => training?.abort(),
  };

  async function start() {
    const { page, steps, said } = state;
    const within = Number(steps);
    if (!(Number.isInteger(within) && within >= 1 && within <= MOST_STEPS)) {
      const most = MOST_STEPS.toLocaleString('en');
      return set({ problem: `Steps: must be an integer from 1 to ${most}, not ${steps || 'empty'}.` });
    }
    const asked = { ...state.asked, within };
    const controller = (training = new AbortController());
    const names = ['as set', ...asked.changes.map(nameOf)];
    const numbers = asked.seeds === 1 ? [Number(page.start.seed)] : Array.from({ length: asked.seeds }, (_, i) => i);
    /** @type {Trained} */
    const now = { ...asked, names, numbers, said, report: null, running: true };
    set({ asked, problem: '', trained: now });
    onCompare(asked);
    try {
      client ??= connect();
      await client.compare({
        ...requestOf(page, asked, numbers),
        signal: controller.signal,
        onProgress(report) {
          now.report = report;
          if (training === controller) draw();
        },
      });
    } catch (error) {
      const ended = hasEnded(/** @type {any} */ (error));
      if (training === controller && ended) client = null; // the next one starts another worker
      const why = ended ? 'The training has stopped. Start it again.' : inWords(/** @type {any} */ (error), labelOf);
      if (training === controller) state.problem = why;
    }
    if (training !== controller) return;
    training = null;
    now.running = false;
    draw();
  }

  /** Ends what is under way: another task, or another run, was chosen. */
  function end() {
    training?.abort();
    training = null;
    client?.end();
    client = null;
    Object.assign(state, { trained: null, problem: '', said: '' });
  }

  return {
    /** @param {TrainState} next */
    update(next) {
      const { task, start: settings, text, level, comparison } = next;
      const now = [task, settings, text, level];
      const isOther = now.some((each, i) => each !== base[i]);
      base = now;
      state.page = { ...next }; // which changes in place
      if (isOther) {
        end();
        const before = next.before && changeTo(settings, next.before.settings);
        const first = firstComparison(task, settings);
        state.asked = comparison ?? (before && Object.keys(before).length ? { ...first, changes: [before] } : first);
        state.steps = String(state.asked.within);
      }
      draw();
    },
  };
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
 * @param {CompareState} state
 */
function offered({ page, asked }) {
  const others = othersOf(page.task, page.start);
  const before = page.before && changeTo(page.start, page.before.settings);
  for (const change of [...asked.changes, ...(before ? [before] : [])])
    if (Object.keys(change).length && !others.some((each) => writeRun(each.change) === writeRun(change)))
      others.push({ name: nameOf(change), change, lesson: '' });
  return others;
}

/** @param {CompareState} state @param {CompareActions} actions */
function form(state, actions) {
  const { page, asked, said, problem, trained } = state;
  const { unit } = TEXTS[page.task];
  const running = Boolean(trained?.running);
  const isReady = Boolean(said && asked.changes.length) && !running;
  const count = asked.seeds === 1 ? 'with this seed' : `with more of ${asked.seeds} seeds`;
  /** @param {any} event */
  const submit = (event) => {
    event.preventDefault();
    if (isReady) actions.start();
  };
  /** @param {string} value @param {string} label */
  const guess = (value, label) => html`<label class="train-flag"
    ><input
      type="radio"
      name="compare-said"
      .checked=${live(said === value)}
      @change=${() => actions.set({ said: value })}
    />${label}</label
  >`;
  return html`<form class="compare-form" novalidate @submit=${submit}>
    <fieldset class="compare-others" ?disabled=${running}>
      <legend>Beside the run as it is set, up to ${MOST_OTHERS} that differ by</legend>
      ${offered(state).map((each) => other(state, each, actions))}
    </fieldset>
    ${choices(state, running, actions)}
    <fieldset class="compare-others" ?disabled=${running || !asked.changes.length}>
      <legend>
        Predict first: which run reaches ${share(asked.threshold)} of the held-out ${unit} ${count}, or sooner?
      </legend>
      ${['as set', ...asked.changes.map(nameOf)].map((name) => guess(name, name))} ${guess('none', 'no difference')}
    </fieldset>
    <div class="buttons">
      <button ?disabled=${!isReady}>Start</button>
      <button type="button" ?disabled=${!running} @click=${actions.cancel}>Cancel</button>
      <span class="hint">The same task and data; weights of the same name and shape start with the same bits.</span>
    </div>
    <p class="error" id="compare-problem" role="alert" ?hidden=${!problem}>${problem}</p>
  </form>`;
}

/** @param {CompareState} state @param {import('./compare.js').Other} run @param {CompareActions} actions */
function other({ asked, trained }, { name, change, lesson }, { choose }) {
  const others = asked.changes.filter((each) => writeRun(each) !== writeRun(change));
  const isChosen = others.length < asked.changes.length;
  return html`<label class="train-flag">
    <input
      type="checkbox"
      .checked=${live(isChosen)}
      @change=${() => choose({ changes: isChosen ? others : [...others, change].slice(-MOST_OTHERS) })}
    />
    <span>${name}${trained && !trained.running && lesson ? html` <span class="hint">${lesson}</span>` : nothing}</span>
  </label>`;
}

/** Seeds, steps and threshold. @param {CompareState} state @param {boolean} running @param {CompareActions} actions */
function choices({ page, asked, steps, problem }, running, { set, choose }) {
  /**
   * @param {string} label @param {number[]} values @param {'seeds' | 'threshold'} name
   * @param {(value: number) => string} text
   */
  const select = (label, values, name, text) => html`<label class="train-speed"
    >${label}
    <select
      ?disabled=${running}
      @change=${(/** @type {any} */ { target }) => choose({ [name]: Number(target.value) })}
    >
      ${[...new Set([...values, asked[name]])]
        .sort((a, b) => a - b)
        .map((each) => html`<option value=${each} .selected=${live(each === asked[name])}>${text(each)}</option>`)}
    </select></label
  >`;
  return html`<div class="buttons">
    ${select('Seeds', SEEDS, 'seeds', (each) => (each === 1 ? `${page.start.seed}, as set` : `0 to ${each - 1}`))}
    <label class="train-speed"
      >Steps
      <input
        class="compare-steps"
        type="number"
        min="1"
        ?disabled=${running}
        .value=${live(steps)}
        aria-invalid=${problem ? 'true' : nothing}
        aria-describedby="compare-problem"
        @input=${(/** @type {any} */ { target }) => set({ steps: target.value, problem: '' })}
      />
    </label>
    ${select('Threshold', THRESHOLDS, 'threshold', share)}
  </div>`;
}

/** @param {TrainState['scheme']} scheme @param {number} run */
const lineOf = (scheme, run) => ({ color: hueOf(scheme, run).color, dash: DASHES[run] });

/** @param {CompareState} state @param {Trained} now */
function results({ page }, now) {
  const { names, numbers, within, report, running } = now;
  return html`<div class="compare-results">
    <label class="train-speed compare-progress" ?hidden=${!running}
      >Step ${report?.step ?? 0} of ${within}, ${names.length * numbers.length} runs in turn
      <progress max=${within} value=${report?.step ?? 0}></progress>
    </label>
    ${
      report
        ? html`<div role="status" class="compare-verdict">${running ? nothing : verdict(page, now, report)}</div>
            <ul class="train-runs" aria-label="Lines of the curves">
              ${names.map((name, i) => {
                const { color, dash } = lineOf(page.scheme, i);
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
              <div class="compare-chart"></div>
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
  const winner = winnerOf(reached);
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
    </p>`;
}

/** @param {TrainState} page @param {Trained} now @param {Report} report */
function table(page, { names, numbers, changes, threshold }, { checks, failures, step }) {
  const { task, start: settings, tasks } = page;
  const { unit, measure } = TEXTS[task];
  const reached = reachedBy(checks, measure, threshold);
  const recipe = tasks.get(task)?.recipe ?? {};
  return html`<p class="hint" id="compare-caption">
        Share of held-out ${unit} right after ${step} steps, and the step at which ${share(threshold)} were
        reached${task === 'text' ? '' : '; a share opens its run in another tab'}
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
              return html`<td>
                ${
                  task === 'text' || !step
                    ? text
                    : html`<a
                        href=${writeAddress({ task, settings: own, step: failed ? failed - 1 : step }, recipe)}
                        target="_blank"
                        >${text}</a
                      >`
                }
              </td>`;
            })}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/**
 * @param {HTMLElement} root @param {ReturnType<typeof createCurves>} curves @param {TrainState} page
 * @param {Trained} now @param {Report} report
 */
function drawChart(root, curves, page, { names, numbers, within, threshold }, { checks, step }) {
  const { measure, unit, title } = TEXTS[page.task];
  const all = checks.flatMap((group, seed) =>
    group.map((list, run) => ({ name: `${names[run]}, seed ${numbers[seed]}`, list, run })),
  );
  const last = all.map(({ name, list }) => `${name} ${percent(list[list.length - 1][measure])}`).join('; ');
  curves.update({
    title: unit,
    xTitle: 'step',
    to: within,
    at: step,
    lines: [
      ...all.map(({ name, list, run }) => ({
        name,
        xs: list.map((each) => each.step),
        ys: list.map((each) => each[measure]),
        ...lineOf(page.scheme, run),
      })),
      { name: 'threshold', xs: [0, within], ys: [threshold, threshold], color: 'var(--soft)', dash: '1 4' },
    ],
    high: 1,
    format: (value) => `${Math.round(100 * value)} %`,
    summary: `Held-out ${unit} right after ${step} steps: ${last}`,
  });
  announceFigure(/** @type {HTMLElement} */ (root.querySelector('.compare-results')), {
    name: `Comparison of ${title}`,
    element: /** @type {HTMLElement} */ (root.querySelector('.compare-chart')),
    tables: () => [
      tableOf(
        `Held-out ${unit} right`,
        all.map(({ name }) => name),
        checks[0][0].map((check, i) => [`step ${check.step}`, ...all.map(({ list }) => list[i]?.[measure] ?? NaN)]),
      ),
    ],
  });
}
