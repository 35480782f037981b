// The place Train as it stands on the page: tasks, controls, curves, heads, predictions, settings.

import { html, nothing, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { changesMade } from './settings/changes-view.js';
import { createCharts } from './watch/charts-view.js';
import { comparison } from './watch/comparison-view.js';
import { createFolds } from './watch/folds-view.js';
import { createFrames } from './watch/frames.js';
import { createHeads } from './watch/heads-view.js';
import { keep, takesDrops } from './keep/view.js';
import { keeping, trouble, whenHidden } from './life/view.js';
import { predictions } from './watch/predictions-view.js';
import { settings } from './settings/view.js';
import { SOLVED, TEXTS, lastCheck, percent } from './tasks.js';
import { createTwinsFold } from './twins/fold.js';
import { formatValue } from '../draw/canvas.js';
import { addStyle } from '../draw/style.js';
import { whenInSight } from '../shared/in-sight.js';
import { lateView } from '../shared/late-view.js';

import keepStyle from './keep/style.css';
import settingsStyle from './settings/style.css';
import placeStyle from './style.css';
import watchStyle from './watch/style.css';

/**
 * @typedef {{guide?: typeof import('./guide/view.js').guide,
 *   ownTextForm?: typeof import('./text/view.js').ownTextForm}} Late
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {import('./keep/view.js').KeepActions & import('./life/view.js').LifeActions & {
 *   onTask: (task: string) => void, onPlay: () => void, onStep: () => void, onGo: (step: number) => void,
 *   onSpeed: (perSecond: number) => void, onExample: (row: number) => void, onAsk: (text: string) => void,
 *   onHead: (head: {layer: number, head: number}) => void, onCell: (cell: {row: number, column: number}) => void,
 *   onField: (name: string, text: string) => void, onRecipe: () => void,
 *   onGuide: (page: number | null) => void, onMoment: (step: number) => void,
 *   onText: (text: string, level: string) => void, onRefusal: (why: string) => void,
 *   onPin: () => void, onUnpin: () => void, onTwin: (change: Record<string, string | number | boolean>) => void,
 *   connect: () => ReturnType<typeof import('./client.js').connectTrainer>, onTwins: (text: string) => void,
 * }} TrainActions
 */

const SPEEDS = [
  [0, 'as fast as it goes'],
  [200, '200 steps/s'],
  [50, '50 steps/s'],
  [10, '10 steps/s'],
  [2, '2 steps/s'],
];
const count = (/** @type {number} */ value) => value.toLocaleString('en');

/**
 * @param {HTMLElement} root
 * @param {TrainActions} actions
 */
export function createView(root, actions) {
  addStyle([placeStyle, keepStyle, settingsStyle, watchStyle].join(''));
  const place = document.createElement('div');
  place.className = 'train';
  root.append(place);
  takesDrops(place, actions.onFile);
  /** @type {ReturnType<typeof createCharts> | null} */
  let charts = null;
  /** @type {ReturnType<typeof createHeads> | null} */
  let heads = null;
  /** @type {{update: (state: TrainState) => void}[]} */
  let others = [];
  /** What is fetched when it is first shown: the guided run, the reader's own text. @type {Late} */
  const late = {};
  /** @type {Partial<Record<keyof Late, Promise<void>>>} */
  const fetching = {};
  /** @param {keyof Late} name @param {Promise<Late>} module */
  const fetched = (name, module) =>
    module.then((found) => {
      late[name] = /** @type {any} */ (found[name]);
      view.update(last);
    });
  /** @type {TrainState} */
  let last;
  const frames = createFrames();
  const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (place.querySelector(selector));
  const ffn = lateView(async () => (await import('./ffn/view.js')).createFfn(find('.train-ffn'), actions));

  const neurons = lateView(async () => {
    const root = find('.train-neurons');
    await new Promise((resolve) => whenInSight(root, () => resolve(root)));
    return (await import('./watch/neurons-view.js')).createNeurons(root);
  });

  const view = {
    /** @param {TrainState} state */
    update(state) {
      last = state;
      if (state.guide !== null) fetching.guide ??= fetched('guide', import('./guide/view.js'));
      if (state.task === 'text') fetching.ownTextForm ??= fetched('ownTextForm', import('./text/view.js'));
      render(template(state, actions, late), place);
      if (!state.report) return;
      charts ??= createCharts(find('.train-charts'), actions.onGo);
      heads ??= createHeads(find('.train-heads'), actions);
      if (!others.length)
        others = [
          neurons,
          createFolds(find('.train-folds'), actions.onGo),
          createTwinsFold(find('.train-twins'), actions),
        ];
      const views = [...(state.report.look.ffn ? [ffn] : [charts, heads]), ...others];
      frames.draw(
        views.map((each) => () => each.update(state)),
        !state.running,
      );
    },
  };
  return view;
}

/**
 * @param {TrainState} state @param {TrainActions} actions
 * @param {Late} late
 */
const template = (state, actions, { guide, ownTextForm }) => html`
  <p class="notices train-notice" role="status" ?hidden=${!state.notice}>${state.notice}</p>
  <button type="button" class="again" ?hidden=${!state.ended} @click=${() => location.reload()}>Try again</button>
  ${
    state.report
      ? html`${state.guide !== null && guide ? guide(state, actions) : tasks(state, actions, ownTextForm)}
        <div class="train-columns">
          <div class="train-main">
            ${controls(state, actions)}
            <section class="panel" aria-labelledby="train-ffn" ?hidden=${!state.report.look.ffn}>
              <h3 id="train-ffn">What the network computes</h3>
              <div class="train-ffn"></div>
            </section>
            <div class="train-pair" ?hidden=${Boolean(state.report.look.ffn)}>
              <section class="panel" aria-labelledby="train-curves">
                <h3 id="train-curves">Loss and held-out accuracy</h3>
                <div class="train-charts"></div>
                ${comparison(state, actions)}
              </section>
              <section class="panel" aria-labelledby="train-maps">
                <h3 id="train-maps">Attention heads</h3>
                <div class="train-heads"></div>
              </section>
            </div>
            ${predictions(state, actions)}
            <section class="panel" aria-labelledby="train-neurons" ?hidden=${Boolean(state.report.look.ffn)}>
              <h3 id="train-neurons">FFN neurons</h3>
              <div class="train-neurons"></div>
            </section>
            <section class="panel" aria-labelledby="train-weights">
              <h3 id="train-weights">Weights</h3>
              <div class="train-folds"></div>
            </section>
            <section class="panel" aria-labelledby="train-twins" ?hidden=${Boolean(state.report.look.ffn)}>
              <h3 id="train-twins">Twins</h3>
              <div class="train-twins"></div>
            </section>
          </div>
          ${settings(state, actions)}
        </div>`
      : html`<p class="hint" ?hidden=${Boolean(state.notice)}>Loading…</p>`
  }
`;

/** @param {TrainState} state @param {TrainActions} actions @param {Late['ownTextForm']} ownTextForm */
function tasks(state, actions, ownTextForm) {
  const { tasks: all, task } = state;
  const { onTask, onGuide } = actions;
  const { goal, solved, within, joint } = TEXTS[task];
  const facts = all.get(task);
  return html`<section class="panel train-tasks" aria-labelledby="train-task">
    <div class="train-tasks-head">
      <h3 id="train-task">Task</h3>
      <button type="button" class="train-guide-open" @click=${() => onGuide(0)}>
        Guided run: teach it to reverse
      </button>
    </div>
    <div class="train-cards" role="radiogroup" aria-labelledby="train-task">
      ${[...all.keys()].map(
        (name) => html`<label class="train-card">
          <input
            type="radio"
            name="train-task"
            value=${name}
            .checked=${live(name === task)}
            @change=${() => onTask(name)}
          />
          <span>${TEXTS[name].title}</span>
        </label>`,
      )}
    </div>
    <div class="train-about">
      <div>
        <p><strong>${goal}</strong></p>
        <p class="hint">
          ${solved}
          ${within ? `With the recipe below, 99 % of the held-out ${TEXTS[task].unit} are right within ${within}.` : ''}
        </p>
      </div>
      <ul class="train-samples" aria-label="Held-out examples">
        ${facts?.examples.map(
          ({ words, answers }) => html`<li>
            <bdi>${words.join(joint)}</bdi>${answers.length ? html` → <bdi>${answers.join(joint)}</bdi>` : nothing}
          </li>`,
        )}
      </ul>
    </div>
    ${task === 'text' && ownTextForm ? ownTextForm(state, actions) : nothing}
  </section>`;
}

/** @param {TrainState} state @param {TrainActions} actions */
function controls(state, actions) {
  const { onPlay, onStep, onGo, onSpeed } = actions;
  const report = /** @type {import('./state.js').Report} */ (state.report);
  const { running, speed, loss, rate, norm } = state;
  const { step, moments, look, milliseconds, parameters, bytes } = report;
  const furthest = Math.max(step, loss.length);
  const until = Math.max(state.until, step);
  const check = lastCheck(report);
  /** @param {string} label @param {string} value */
  const fact = (label, value) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  return html`<section class="panel train-controls" aria-label="Run">
    <div class="buttons">
      <button type="button" class="train-play" @click=${onPlay}>
        ${running ? 'Pause' : step >= until ? 'Train on' : 'Train'}
      </button>
      <button type="button" ?disabled=${running} @click=${onStep}>One step</button>
      <button type="button" ?disabled=${step === 0} @click=${() => onGo(0)}>Back to step 0</button>
      <label class="train-speed"
        >Speed
        <select @change=${(/** @type {any} */ event) => onSpeed(Number(event.target.value))}>
          ${SPEEDS.map(([value, label]) => html`<option value=${value} ?selected=${value === speed}>${label}</option>`)}
        </select>
      </label>
      ${whenHidden(state, actions)}
    </div>
    <div class="train-timeline">
      <label for="train-moment">Step <strong>${count(step)}</strong> of ${count(until)}</label>
      <input
        type="range"
        id="train-moment"
        min="0"
        max=${Math.max(1, furthest)}
        step="1"
        .value=${live(String(step))}
        ?disabled=${furthest === 0}
        aria-valuetext=${`step ${step} of ${furthest}`}
        @input=${(/** @type {any} */ event) => onGo(nearest(moments.steps, Number(event.target.value), step))}
      />
    </div>
    ${changesMade(state, actions)}
    <dl class="train-facts">
      ${fact('Loss of the last batch', step ? formatValue(loss[step - 1]) : '–')}
      ${look.ffn ? fact('Largest error', formatValue(look.ffn.largest)) : nothing}
      ${check && !look.ffn ? rowFacts(check).map(([label, value]) => fact(label, value)) : nothing}
      ${check && !Number.isNaN(check.mass) ? fact('Weight on the solution', weight(check)) : nothing}
      ${fact('Learning rate', step ? String(Number(rate[step - 1].toPrecision(3))) : '–')}
      ${fact('Gradient norm', step ? formatValue(norm[step - 1]) : '–')}
      ${fact('Parameters', count(parameters))}
      ${fact('A step takes', milliseconds ? `${milliseconds.toFixed(1)} ms` : '–')}
    </dl>
    ${trouble(state, actions)} ${outcome(state, report)}
    ${keep(state, actions)}
    <p class="hint train-hash">
      ${look.hash ? html`SHA-256 of the weights: <code>${look.hash}</code>. ` : nothing}The same task, settings and seed
      give the same bits in every browser. Every ${moments.interval} steps the run is kept: ${moments.steps.length}
      moment${moments.steps.length === 1 ? '' : 's'}, ${(bytes / 1e6).toFixed(1)} MB; when full, every
      second one is dropped.
    </p>
    ${keeping(state, actions)}
  </section>`;
}

/** @param {import('./run/run.js').Check} check */
const rowFacts = (check) => [
  ['Held-out loss', formatValue(check.loss)],
  ['Held-out rows right', percent(check.sequences)],
  ['Held-out tokens right', percent(check.accuracy)],
];

/** @param {import('./run/run.js').Check} check */
const weight = ({ mass, chance, head }) => `${mass.toFixed(2)} (uniform ${chance.toFixed(2)}), ${head}`;

/** Whether it is solved. @param {TrainState} state @param {import('./state.js').Report} report */
function outcome({ task }, { checks, step }) {
  const { measure, unit, reached } = TEXTS[task];
  const solved = checks.find((each) => each[measure] >= SOLVED);
  if (!solved || solved.step > step) return nothing;
  return html`<p class="train-solved" role="status">
    ✓
    ${reached ? `${reached} at` : `${percent(solved[measure])} of the held-out ${unit} were right at`} step
    ${count(solved.step)}.
  </p>`;
}

/**
 * The kept moment next to where the slider was moved, but never the present one where it was moved on.
 * @param {number[]} steps
 * @param {number} value
 * @param {number} now
 */
function nearest(steps, value, now) {
  const others = steps.filter((each) => (value > now ? each > now : each < now));
  const choices = others.length ? others : [value];
  return choices.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
}
