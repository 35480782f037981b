// An FFN alone: the function that it computes beside the one that it is to learn, and its error over the steps.

import { html, nothing, svg } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { paintMatrix } from '../../draw/canvas.js';
import { probabilityScale } from '../../draw/color.js';
import { tableOf } from '../../draw/figure.js';
import { withMinus } from '../../draw/numbers.js';
import { chart, legend } from '../../kit/chart.js';
import { figure } from '../../kit/figure.js';
import { choices, inputText, map, why } from '../neurons-alone.js';
import style from './ffn.css';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../run/ffn-tasks.js').FfnLook} FfnLook
 */

const TINY = 1e-6;
const SMOOTH = 'GELU: exact with 8 neurons in 20 of 20 seeds, as no neuron dies.';
const bent = (/** @type {string} */ seeds) =>
  `ReLU: kinks bend the plane. With 2, 4, 8, 12 neurons ${seeds} of 20 seeds are exact; in the others neurons die.`;
/**
 * The expected results: measured with seeds 0 to 19 of the gates, 0 to 4 of x².
 * @type {Record<string, Record<string, string>>}
 */
const EXPECT = {
  square: {
    none:
      'Linear: a straight line, however many neurons. The best one is flat at ⅓, and ⅔ off at the ends of the ' +
      'interval.',
    relu:
      'ReLU: a broken line. Largest error, median of five seeds, with 1, 2, 4, 8, 16, 32 neurons: 0.74, 0.07, 0.07, ' +
      '0.03, 0.02, 0.02.',
    gelu: 'GELU: a smooth curve without kinks. With 8 neurons its largest error is 0.02, median of five seeds.',
  },
  and: {
    none:
      'Linear: a plane. The best one has a mean squared error of 1/16 = 0.0625: on the right side of ½ at all four ' +
      'points, exact at none.',
    relu: bent('6, 17, 19, 20'),
    gelu: SMOOTH,
  },
  xor: {
    none: 'Linear: a plane. The best one is flat at ½, with a mean squared error of ¼: it tells nothing apart.',
    relu: bent('3, 12, 18, 20'),
    gelu: SMOOTH,
  },
};
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const write = (/** @type {number} */ value) =>
  value > 0 && value < TINY ? `below ${TINY.toFixed(6)}` : withMinus(number.format(value));

/** @type {import('../index.js').Feature} */
export const ffn = {
  name: 'ffn',
  style,
  local: { cursor: null }, // none until the reader chooses a neuron
  render({ state: { task, settings }, report: { step, inspection }, scheme, local }, { onField, local: remember }) {
    const look = /** @type {FfnLook} */ (inspection.ffn);
    const { curve, surface, neurons } = look;
    const count = neurons.dead.length;
    const activation = String(settings.activation);
    const { cursor: chosen } = local;
    const cursor = chosen && chosen.column < count && chosen.row < neurons.inputs.length ? chosen : null;
    /** Other neurons: what to expect of them first. @type {typeof onField} */
    const onChoice = (name, text) => {
      remember({ cursor: null });
      onField(name, text);
    };
    const target = (/** @type {number[]} */ [a, b]) => String(curve ? a * a : goalOf(task, a, b));
    return html`<section class="train-shown" aria-label="What the network computes">
      <div class="train-ffn">
        <div class="train-function" id="train-function">
          ${curve ? line(curve, look, step, cursor) : surface ? gate(surface, task, look, scheme, cursor) : nothing}
        </div>
        <div class="train-neurons">
          ${choices(settings, onChoice)}
          ${surface ? table(surface, task) : nothing}
          ${map(neurons, activation, cursor, scheme, (/** @type {any} */ to) => remember({ cursor: to }))}
          <div class="train-reason" role="status">
            ${
              cursor
                ? why(neurons, activation, cursor, target(neurons.inputs[cursor.row]))
                : html`<p class="hint">${EXPECT[task]?.[activation]} Click a cell to see why.</p>`
            }
          </div>
        </div>
      </div>
    </section>`;
  },
};

/** From where the picture of the function can be saved. @type {import('../index.js').Feature} */
export const ffnSaved = {
  name: 'ffn-saved',
  render({ state: { task }, report: { step, inspection } }) {
    const { curve, surface, neurons } = /** @type {FfnLook} */ (inspection.ffn);
    const count = neurons.dead.length;
    const tables = () => [
      curve
        ? tableOf(
            'x²',
            ['x²', 'network'],
            curve.values.map((value, i) => [String(xOf(curve, i)), xOf(curve, i) ** 2, value]),
          )
        : tableOf('Points', ['target', 'network'], corners(/** @type {any} */ (surface), task)),
      tableOf(
        'Neurons',
        neurons.dead.map((_, i) => `neuron ${i}`),
        neurons.inputs.map((input, i) => [
          inputText(input),
          ...neurons.activations.subarray(i * count, (i + 1) * count),
        ]),
      ),
    ];
    return html`<div ${figure({ name: `${task} at step ${step}`, of: 'train-function', tables })}></div>`;
  },
};

/** The error over the steps. @type {import('../index.js').Feature} */
export const ffnCurve = {
  name: 'ffn-curve',
  render({ state: { loss, until }, report: { step, inspection } }, { onGo }) {
    const { error } = /** @type {FfnLook} */ (inspection.ffn);
    const values = loss.filter((value) => value > 0 && value < Infinity);
    const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [1, 0]);
    const to = Math.max(1, until, loss.length);
    const data = {
      title: 'Mean squared error',
      xTitle: 'step',
      lines: [{ name: 'error', xs: loss.map((_, i) => i + 1), ys: loss.map((value) => Math.max(value, 1e-12)) }],
      to,
      low: Math.max(1e-12, 10 ** Math.floor(Math.log10(low))) / (low < 1 ? 1 : 10),
      high: 10 ** Math.ceil(Math.log10(high || 1)),
      at: step,
      summary: `Mean squared error over ${to} steps; at step ${step} ${write(error)}`,
    };
    return html`<figure class="train-chart">
      <figcaption class="hint">Mean squared error (logarithmic): ${write(error)}</figcaption>
      ${chart(data, { height: innerHeight < 800 ? 100 : 150, onPick: onGo })}
    </figure>`;
  },
};

/** @param {FfnLook['curve'] & object} curve @param {number} i */
const xOf = ({ low, high, values }, i) => low + ((high - low) * i) / (values.length - 1);

const WIDE = 560;
const TALL = 320;
const BOTTOM = -0.5;
const TOP = 4.2;

/**
 * @param {FfnLook['curve'] & object} curve @param {FfnLook} ffn @param {number} step
 * @param {import('../../draw/map.js').Cell | null} cursor of the neurons
 */
function line(curve, { largest, neurons }, step, cursor) {
  const { low, high, values, kinks, far, best } = curve;
  const x = (/** @type {number} */ value) => (((value - low) / (high - low)) * WIDE).toFixed(1);
  const y = (/** @type {number} */ value) =>
    ((1 - (Math.max(-9, Math.min(9, value)) - BOTTOM) / (TOP - BOTTOM)) * TALL).toFixed(1);
  const path = (/** @type {(i: number) => number} */ at) =>
    values.map((_, i) => `${i ? 'L' : 'M'}${x(xOf(curve, i))} ${y(at(i))}`).join('');
  /** The network at a kink, between two points. @param {number} place */
  const between = (place) => {
    const at = ((place - low) / (high - low)) * (values.length - 1);
    const i = Math.min(values.length - 2, Math.floor(at));
    return values[i] + (at - i) * (values[i + 1] - values[i]);
  };
  const inside = kinks.filter((place) => Math.abs(place) < 1).length;
  const [[, left], [, right]] = far;
  const [from, to] = [Number(x(-1)), Number(x(1))];
  const label = (/** @type {number} */ at, /** @type {number} */ height, /** @type {number} */ value) =>
    svg`<text class="curves-number" x=${at} y=${height}>${write(value)}</text>`;
  const facts = kinks.length
    ? [
        `Dots: kinks of its neurons, ${inside} of ${kinks.length} of them inside.`,
        ` (at best ${write(best)} with a kink for each neuron)`,
        ', past its last kink, it goes on straight for ever',
      ]
    : ['', '', ''];
  const [weight, shift] = neurons.weights[cursor?.column ?? 0];
  const picked = cursor && kinks.includes(-shift / weight) ? -shift / weight : null;
  const name = `x² and the network from ${write(low)} to ${write(high)} at step ${step}`;
  return html`<svg class="train-plot" viewBox="0 0 ${WIDE} ${TALL}" role="img" aria-label=${name}>
      <rect class="train-inside" x=${from} y="0" width=${to - from} height=${TALL}></rect>
      <path class="curves-grid" d="M0 ${y(0)}H${WIDE}M${x(0)} 0V${TALL}"></path>
      ${[-1, 0, 1].map((each) => label(Number(x(each)) + 4, TALL - 4, each))}
      ${[1, 4].map((each) => label(Number(x(0)) + 4, Number(y(each)) + 4, each))}
      ${kinks.map((place) => svg`<path class="train-kink" d="M${x(place)} ${y(0)}V${y(between(place))}"></path>`)}
      <path class="curves-line dashed train-target" d=${path((i) => xOf(curve, i) ** 2)}></path>
      <path class="curves-line" d=${path((i) => values[i])}></path>
      ${kinks.map(
        (place) => svg`<circle class="train-knot" cx=${x(place)} cy=${y(between(place))}
          r=${place === picked ? 7 : 3.5}></circle>`,
      )}
    </svg>
    <p class="hint">
      Dashed: x². Solid: the network, which is trained in the shaded interval from −1 to 1 only.
      ${facts[0]} Largest error inside: <b>${write(largest)}</b>${facts[1]}. Outside${facts[2]}:
      at −3 and 3 it says <b>${write(left)}</b> and <b>${write(right)}</b>; x² is 9.
    </p>`;
}

/** @param {FfnLook['surface'] & object} surface @param {string} task @returns {[string, number, number][]} */
function corners({ side, values }, task) {
  const last = side - 1;
  const inputs = [0, 1, 2, 3].map((i) => [i >> 1, i & 1]);
  return inputs.map(([a, b]) => [`${a}, ${b}`, goalOf(task, a, b), values[a * last * side + b * last]]);
}

/** @param {string} task a gate @param {number} a @param {number} b */
const goalOf = (task, a, b) => (task === 'and' ? a * b : Math.abs(a - b));

const VIEW = 260; // px of a figure's side
const DEPTH = 0.38;
const RISE = 110;

/**
 * @param {FfnLook['surface'] & object} surface @param {string} task @param {FfnLook} ffn
 * @param {TrainState['scheme']} scheme @param {import('../../draw/map.js').Cell | null} cursor of the neurons
 */
function gate(surface, task, { neurons }, scheme, cursor) {
  const matrix = matrixOf(surface, scheme);
  const paint = (/** @type {any} */ canvas) => canvas && paintMatrix(canvas, matrix);
  const { side, values, kinks } = surface;
  const last = side - 1;
  const points = corners(surface, task);
  // The square from a corner: a goes to the lower right, b to the upper right, the value upwards.
  const place = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ value) => {
    const high = Math.max(-0.25, Math.min(1.25, value));
    return [VIEW * (0.06 + 0.44 * (a + b)), VIEW * (0.72 + 0.5 * DEPTH * (a - b)) - RISE * high]
      .map((each) => each.toFixed(1))
      .join(' ');
  };
  const all = Array.from({ length: side }, (_, i) => i);
  const wires = all
    .filter((i) => i % 2 === 0)
    .flatMap((i) => [
      all.map((j) => place(i / last, j / last, values[i * side + j])),
      all.map((j) => place(j / last, i / last, values[j * side + i])),
    ]);
  const base = [place(0, 0, 0), place(0, 1, 0), place(1, 1, 0), place(1, 0, 0)];
  return html`<div class="train-surface">
      <svg viewBox="0 0 ${VIEW} ${VIEW}" role="img" aria-label="The output over the unit square as a surface">
        <path class="curves-axis" d="M${base.join('L')}Z"></path>
        ${wires.map((wire) => svg`<path class="train-wire" d="M${wire.join('L')}"></path>`)}
        ${points.map(([name, target, value]) => {
          const [a, b] = name.split(', ').map(Number);
          const [cx, cy] = place(a, b, target).split(' ');
          const [tx, ty] = place(a, b, b > a ? target : 0)
            .split(' ')
            .map(Number);
          return svg`<path class="train-kink" d="M${place(a, b, target)}L${place(a, b, value)}"></path>
            <circle class="train-knot" cx=${cx} cy=${cy} r="5"></circle>
            <text class="curves-number" x=${tx} y=${b > a ? ty - 9 : ty + 17} text-anchor="middle">${name}</text>`;
        })}
      </svg>
      <div class="train-above">
        <canvas aria-hidden="true" ${ref(paint)}></canvas>
        <svg viewBox="0 0 1 1" role="img" aria-label="From above: the value as a colour, with the neurons’ kinks">
          ${kinks.map(
            (kink, i) =>
              svg`<path d=${hinge(kink)} class="train-hinge ${neurons.dead[i] ? 'dead' : ''} ${
                i === cursor?.column ? 'chosen' : ''
              }"></path>`,
          )}
        </svg>
      </div>
    </div>
    ${legend('output', matrix)}
    <p class="hint">
      Height and colour: the output over the inputs a and b. Discs: the four targets. On the map a goes to the right, b
      up${kinks.length ? '; at a line a neuron begins to fire (dashed: a dead one)' : ''}.
    </p>`;
}

/** @param {FfnLook['surface'] & object} surface @param {string} task */
const table = (surface, task) => html`<table class="train-parts">
      <thead>
        <tr>
          <th scope="col">a, b</th>
          <th scope="col">target</th>
          <th scope="col">network</th>
        </tr>
      </thead>
      <tbody>
        ${corners(surface, task).map(
          ([name, target, value]) => html`<tr>
            <th scope="row">${name}</th>
            <td>${target}</td>
            <td>${withMinus(value.toFixed(4))}</td>
          </tr>`,
        )}
      </tbody>
    </table>`;

/** Where w₁ a + w₂ b + c is 0 in the unit square, b upwards. @param {number[]} kink */
function hinge([u, v, c]) {
  /** @type {[number, number][]} */
  const ends = [];
  for (const side of [0, 1]) {
    const b = -(c + u * side) / v;
    const a = -(c + v * side) / u;
    if (b >= 0 && b <= 1) ends.push([side, b]);
    if (a > 0 && a < 1) ends.push([a, side]);
  }
  return ends.length < 2 ? '' : `M${ends.map(([a, b]) => `${a.toFixed(4)} ${(1 - b).toFixed(4)}`).join('L')}`;
}

/** @param {FfnLook['surface'] & object} surface @param {TrainState['scheme']} scheme */
function matrixOf({ side, values }, scheme) {
  const data = Float32Array.from(values, (_, i) => values[(i % side) * side + side - 1 - Math.floor(i / side)]);
  return { rows: side, columns: side, data, scale: probabilityScale(scheme), scheme };
}
