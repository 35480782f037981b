// A small model that learns a task as one watches: one row that it has not seen, its heads as they form, and the loss.

import { html, render } from 'lit-html';
import { GlassformerError } from '../../../src/js/errors.js';
import { createCurves } from '../../draw/curves.js';
import { paintHeads } from '../../draw/head-maps.js';
import { formatShare } from '../../draw/numbers.js';
import base from 'elements-parts.css'; // ../parts.css and training.css, made small by src/tools/build.mjs
import own from 'elements-training.css';

const BUSY = 24; // ms of steps between two pictures
const SCORED = 50; // steps from score to score

/** @type {readonly Task[]} */
let TASKS = [];

/** @typedef {typeof import('glassformer/tasks').reverse} Task */
/**
 * `losses` by step; `score`: the share that is right of the held-out set; `row`: of a batch that no step shows.
 * @typedef {{
 *   task: Task, model: import('glassformer').Model, trainer: import('glassformer').Trainer, losses: number[],
 *   score: number | null, row: any, maps: Float32Array[], size: number, isPlaying: boolean,
 * }} Run
 */

/** Fetches the tasks, a file of their own, before the first is drawn. */
export async function load() {
  ({ TASKS } = await import('./tasks.js'));
  return { style: base + own, create };
}

/** @param {HTMLElement} body */
function create(body) {
  const top = body.appendChild(document.createElement('div'));
  body.appendChild(document.createElement('p')).textContent = 'Loss by step';
  const chart = body.appendChild(document.createElement('div'));
  const curves = globalThis.ResizeObserver ? createCurves(chart, { height: 150 }) : null;
  /** @type {Run | null} */
  let run = null;
  let wanted = '';
  let isGone = false;
  let frame = 0;
  /** @type {import('../part.js').PartTools} */
  let tools;

  function draw() {
    if (!run || isGone) return;
    render(template(run, { play, restart }), top);
    curves?.update(curvesOf(run));
    if (!globalThis.ResizeObserver) return; // jsdom
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(paint);
  }

  function paint() {
    if (!run || isGone) return;
    const { maps, size, task } = run;
    const hidden = new Uint8Array(size ** 2);
    const marks = Array(Number(task.config.heads)).fill(null);
    const heads = maps.map((data) => ({ rows: size, columns: size, data, hidden, marks }));
    paintHeads(top.querySelectorAll('.training-layer'), heads, tools.scheme, true);
  }

  async function restart() {
    const { task, seed } = JSON.parse(wanted);
    const gf = await tools.engine();
    await tools.opened(); // an article's model comes first: it is fetched in steps that a training would hold up
    if (isGone || wanted !== JSON.stringify({ task, seed })) return;
    run?.model.free();
    run = begin(gf, taskOf(task), Number(seed));
    draw();
  }

  function play() {
    if (!run) return;
    run.isPlaying = !run.isPlaying;
    draw();
    if (run.isPlaying) go(run).catch(tools.report);
  }

  /** @param {Run} own */
  async function go(own) {
    while (own === run && own.isPlaying && body.isConnected) {
      const { trainer, task } = own;
      for (const end = performance.now() + BUSY; performance.now() < end && own.isPlaying;) {
        own.losses.push(Number(trainer.step(/** @type {any} */ (task).batch(trainer.steps)).loss));
        if (trainer.steps % SCORED === 0) own.score = await scoreOf(own);
        if (trainer.steps >= Number(task.trainer.steps)) own.isPlaying = false;
      }
      look(own);
      draw();
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  return {
    /** @param {{own: Record<string, any>}} shown @param {import('../part.js').PartTools} given */
    update({ own: { task = 'reverse', seed = 1 } }, given) {
      tools = given;
      taskOf(task);
      const next = JSON.stringify({ task, seed });
      if (next === wanted) return draw();
      wanted = next;
      restart().catch(tools.report);
    },
    destroy() {
      isGone = true;
      curves?.destroy();
      run?.model.free();
      run = null;
    },
  };
}

/** @param {unknown} name @returns {Task} */
function taskOf(name) {
  const found = TASKS.find((task) => task.name === name);
  if (found) return found;
  throw new GlassformerError('range', 'task', name, `must be one of ${TASKS.map((task) => task.name).join(', ')}`);
}

/** @param {import('glassformer').Engine} gf @param {Task} task @param {number} seed @returns {Run} */
function begin(gf, task, seed) {
  const model = /** @type {import('glassformer').Model} */ (
    gf.createModel(/** @type {any} */ ({ ...task.config, seed }))
  );
  const trainer = model.trainer(/** @type {any} */ (task.trainer));
  const run = { task, model, trainer, losses: [], score: null, row: null, maps: [], size: 0, isPlaying: false };
  look(run);
  return run;
}

/** Reads the heads at a row of a batch that training does not show, and the answer. @param {Run} run */
function look(run) {
  const { task, model } = run;
  const batch = /** @type {any} */ (task).batch(0, 1); // training has seed 0
  const inputs = { ...batch };
  delete inputs.labels;
  const prediction = model.forward({ ...inputs, capture: true });
  run.row = task.show(batch, 0, /** @type {any} */ (prediction));
  run.size = batch.ids.shape[1];
  run.maps = Array.from(
    { length: Number(task.config.layers) },
    (_, layer) =>
      /** @type {Float32Array} */ (
        model.tensor({ name: `${task.kind}.layers.${layer}.self_attn.weights`, batch: 0 }).data
      ),
  );
}

/** @param {Run} run @returns {Promise<number>} */
async function scoreOf({ task, model }) {
  const score = /** @type {any} */ (await task.score(/** @type {any} */ (model)));
  return score[task.about.measure];
}

/** @param {Run} run @param {{play: () => void, restart: () => void}} actions */
function template({ task, trainer, score, row, isPlaying }, { play, restart }) {
  const { title, goal } = task.about;
  const unit = task.about.measure === 'sequences' ? 'rows' : 'tokens';
  const total = Number(task.trainer.steps);
  const heads = Array.from({ length: Number(task.config.heads) }, () => html`<span class="head-map"></span>`);
  const layers = Array.from(
    { length: Number(task.config.layers) },
    () => html`<div class="training-layer"><canvas></canvas>${heads}</div>`,
  );
  const isOver = trainer.steps >= total;
  return html`<p><strong>${title}</strong> ${goal}</p>
    <p class="training-row" part="row"><bdi>${row.words.join(' ')}</bdi> → ${row.predicted.map(
      (/** @type {string} */ word, /** @type {number} */ i) =>
        row.right[i] === null ? '' : html`<span class=${row.right[i] ? 'right' : 'wrong'}>${word}</span> `,
    )}</p>
    <p class="flips"><button type="button" part="play" aria-pressed=${isPlaying} ?disabled=${isOver}
      @click=${play}>${isPlaying ? 'Pause' : 'Train'}</button>
      <button type="button" ?disabled=${!trainer.steps} @click=${restart}>Restart</button>
      <span>step ${trainer.steps} of ${total}</span>
      <span role="status">${
        score === null || isPlaying ? '' : `${formatShare(score)} of unseen ${unit} right`
      }</span></p>
    <div class="training-heads" part="heads" role="img" aria-label="Attention of each head, a row for each layer"
      >${layers}</div>`;
}

/** @param {Run} run @returns {import('../../draw/curves.js').CurvesData} */
function curvesOf({ task, losses }) {
  const high = losses.reduce((most, loss) => Math.max(most, loss), 1);
  const last = losses.at(-1);
  return {
    title: 'Loss',
    xTitle: 'step',
    lines: [{ name: 'loss', xs: losses.map((_, i) => i + 1), ys: losses }],
    to: Number(task.trainer.steps),
    high,
    at: null,
    summary: last === undefined ? 'Loss by step: not trained yet' : `Loss by step, now ${last.toFixed(3)}`,
  };
}
