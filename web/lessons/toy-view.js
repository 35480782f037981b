// The toy model of the lesson “Superposition”: its arrows while it learns, what comes back of an input, and what each
// training ends with.

import { html, nothing, render, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { formatShare } from '../draw/numbers.js';
import { component } from '../kit/component.js';
import { INPUTS, SEEDS, SHARES, STEPS, better, createToy, keptOf, rebuild, rebuiltShare } from './toy.js';

/** @typedef {import('./toy.js').Toy} Toy */

const NAMES = ['A', 'B', 'C', 'D', 'E'];
const LABELS = ['always', '1 in 2', '1 in 5', '1 in 10', '1 in 20'];
const OPENS = 3; // 1 in 10
const ORDER = [OPENS, 0, 1, 2, 4]; // in which the ends are found
const A_FRAME = 25; // steps
const TURN = 20; // ms between two trainings
const REACH = 1.5; // of the plane, in lengths
const TOLD = 1.18; // place of a name, in lengths of its arrow

/** @param {ArrayLike<number>} weights @param {number} i */
const tip = (weights, i) => [weights[2 * i], -weights[2 * i + 1]]; // up is up

/** @param {ArrayLike<number>} weights @param {number} width of a line */
const arrows = (weights, width) =>
  NAMES.map((_, i) => {
    const [x, y] = tip(weights, i);
    return svg`<line class="toy-${i}" x2=${x.toFixed(3)} y2=${y.toFixed(3)} stroke-width=${width}></line>
      <circle class="toy-${i}" cx=${x.toFixed(3)} cy=${y.toFixed(3)} r=${1.2 * width}></circle>`;
  });

/** @param {Toy} toy @param {number[][][]} paths of each arrow */
function plane({ weights }, paths) {
  const kept = keptOf({ weights });
  const said = kept.length === 1 ? '1 input has' : `${kept.length} of ${INPUTS} inputs have`;
  return html`<svg class="toy-plane" viewBox="${-REACH} ${-REACH} ${2 * REACH} ${2 * REACH}" role="img"
    aria-label="The two numbers of each input as an arrow: ${said} one">
    <path class="toy-axes" d="M${-REACH} 0H${REACH}M0 ${-REACH}V${REACH}"></path>
    <circle class="toy-axes" r="1"></circle>
    ${paths.map(
      (path, i) => svg`<polyline class="toy-${i} toy-path" points=${path.map((at) => at.join()).join(' ')}></polyline>`,
    )}
    ${arrows(weights, 0.04)}
    ${kept.map((i) => {
      const [x, y] = tip(weights, i);
      return svg`<text class="toy-${i}" x=${(TOLD * x).toFixed(3)} y=${(TOLD * y).toFixed(3)}>${NAMES[i]}</text>`;
    })}</svg>`;
}

/** @param {HTMLElement} root */
function createToyView(root) {
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let at = OPENS;
  let seed = 0;
  let training = createToy(SHARES[at], 1);
  let frame = 0;
  let timer = 0;
  /** Where each arrow was. @type {number[][][]} */
  let paths = [];
  /** The best of each share. @type {(Toy | undefined)[]} */
  const ends = [];
  let tried = 0; // trainings for them
  /** Of those of a share. @type {Toy | undefined} */
  let best;
  const x = new Float64Array(INPUTS);
  const out = new Float64Array(INPUTS);
  x[1] = 0.8;

  /** @param {number} next seed */
  function begin(next) {
    cancelAnimationFrame(frame);
    seed = next;
    training = createToy(SHARES[at], seed);
    paths = NAMES.map(() => []);
    step();
  }

  function step() {
    NAMES.forEach((_, i) => paths[i].push(tip(training.toy.weights, i).map((value) => Number(value.toFixed(3)))));
    const { step: now } = training.train(isStill ? STEPS : A_FRAME);
    draw();
    if (now < STEPS) frame = requestAnimationFrame(step);
  }

  /** Trains each in a turn of its own, so that the page answers meanwhile. */
  function finish() {
    const share = ORDER[Math.floor(tried / SEEDS)];
    best = better(best, createToy(SHARES[share], 1 + (tried % SEEDS)).train(STEPS));
    tried++;
    if (tried % SEEDS === 0) {
      ends[share] = best;
      best = undefined;
      if (share === at && !seed) begin(Number(ends[share]?.seed));
      else draw();
    }
    if (tried < SEEDS * ORDER.length) timer = setTimeout(finish, TURN);
  }

  /** @param {number} share */
  function choose(share) {
    at = share;
    begin(ends[at]?.seed ?? 1);
  }

  function draw() {
    const { toy } = training;
    rebuild(toy.weights, x, out);
    render(
      html`<div class="toy">
      ${plane(toy, paths)}
      <div class="toy-run"><button type="button" @click=${() => begin((seed % SEEDS) + 1)}>Train again</button>
        <span>step ${toy.step.toLocaleString('en')}, <b>${formatShare(rebuiltShare(toy))}</b> rebuilt</span></div>
      <div class="toy-through"><b>In</b><b>Out</b>${NAMES.map(
        (name, i) => html`<label class="toy-${i}"><b>${name}</b> <input type="range" min="0" max="1" step="0.05"
          aria-label="Input ${name}" .value=${live(String(x[i]))}
          @input=${(/** @type {any} */ { target }) => {
            x[i] = target.valueAsNumber;
            draw();
          }}></label>
        <div class="toy-out toy-${i}" role="img" aria-label="Output ${name}: ${out[i].toFixed(2)}"
          ><i .style=${`width: ${(100 * Math.min(1, out[i])).toFixed(0)}%`}></i></div>`,
      )}</div>
      <p><b>How often is each input there?</b> Each picture is what the best of ${SEEDS} trainings ends with.</p>
      <div class="toy-ends" role="group" aria-label="How often">${LABELS.map(
        (label, i) => html`<button type="button" aria-pressed=${i === at} @click=${() => choose(i)}>
          <svg viewBox="-1.3 -1.3 2.6 2.6" aria-hidden="true">${
            ends[i] ? arrows(/** @type {Toy} */ (ends[i]).weights, 0.09) : nothing
          }</svg><span>${label}</span>
          <b>${ends[i] ? `${keptOf(/** @type {Toy} */ (ends[i])).length} kept` : '…'}</b></button>`,
      )}</div></div>`,
      root,
    );
  }

  return {
    update() {
      if (timer) return;
      draw();
      timer = setTimeout(finish, TURN);
    },
    destroy() {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    },
  };
}

/** A directive. */
export const toyView = component(createToyView);
