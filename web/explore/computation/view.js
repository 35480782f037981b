// Why a weight is what it is: query · key, scale, softmax among its competitors, times value.

import { nothing, render } from 'lit-html';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { head } from './head.js';
import { createPlayer } from './player.js';
import { steps } from './steps.js';
import { termsOf, weightedOf } from './terms.js';

/**
 * All of one head and one query: `query`, `key`, `value` and `output` have the head's dimensions, `values` are those
 * of all keys, `scores` to `weights` one number for each key; `norms` is the norm of what each head
 * adds to the output of the layer, `whole` the norm of that output; `where`: layer and head in words; `set`: the
 * head's output is set by hand; `off`: the heads that are set to 0; `place`: kind and layer; `scale`: what the score
 * is divided by, 1 for nothing.
 * @typedef {{
 *   title: string, where: string, mean: boolean, row: number, column: number, head: number, rowWord: string,
 *   columnWords: string[], query: Float32Array, key: Float32Array, value: Float32Array, output: Float32Array,
 *   scores: Float32Array, scaled: Float32Array, masked: Float32Array, weights: Float32Array,
 *   norms: Float32Array, whole: number, set: boolean, off: number[], place: string,
 *   scale: number, temperature: number, scheme: import('../../draw/color.js').Scheme,
 * }} ComputationData
 */

const CHOICES = ['click', 'keydown', 'input'];

/**
 * @param {HTMLElement} root
 * @param {(place: HTMLElement) => {update: (data: ComputationData | null, name: string) => void}} createNumbers
 */
export function create(root, createNumbers) {
  const fold = Object.assign(document.createElement('div'), { className: 'why-fold' });
  const numbers = createNumbers(fold);
  const player = createPlayer(draw);
  /** @type {ComputationData | null} */
  let shown = null;
  /** @type {number | null} the dimension that is pointed at */
  let dimension = null;

  // The reader opens a weight by choosing its cell, wherever it stands; what moves while they type does not.
  let chose = false;
  /** @param {Event} event */
  function onChoice(event) {
    chose = event instanceof KeyboardEvent ? event.key === 'Enter' : event.type === 'click';
  }
  for (const type of CHOICES) document.addEventListener(type, onChoice, true);

  /** @param {ComputationData} data @param {ComputationData} last */
  const isOpened = (data, last) =>
    chose &&
    data.title === last.title &&
    (data.row !== last.row || data.column !== last.column) &&
    data.columnWords === last.columnWords &&
    !matchMedia('(prefers-reduced-motion: reduce)').matches;

  function draw() {
    if (!shown) return;
    const frame = player.frame();
    render([head(shown, frame, player), steps(shown, frame, dimension, dimensions), fold], root);
  }

  /** @param {number | null} next */
  function pointAt(next) {
    dimension = next;
    draw();
  }

  const dimensions = {
    /** @param {PointerEvent} event */
    point({ currentTarget, clientX }) {
      const bars = /** @type {Element} */ (currentTarget).querySelector('svg');
      const { left, width } = /** @type {Element} */ (bars).getBoundingClientRect();
      const size = shown?.query.length ?? 0;
      const at = Math.floor(((clientX - left) / width) * size);
      pointAt(at >= 0 && at < size ? at : null);
    },
    leave: () => pointAt(null),
    /** @param {KeyboardEvent} event */
    move(event) {
      const [at, last] = [dimension ?? -1, (shown?.query.length ?? 1) - 1];
      /** @type {Record<string, number>} */
      const targets = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
      if (!(event.key in targets)) return;
      event.preventDefault();
      pointAt(Math.max(0, Math.min(last, targets[event.key])));
    },
  };

  return {
    /** @param {ComputationData | null} data */
    update(data) {
      const last = shown;
      shown = data;
      root.hidden = !data;
      if (!data) {
        player.pause();
        numbers.update(null, '');
        return void announceFigure(root, null);
      }
      if (!last || !isSame(data, last)) {
        player.reset(data.query.length);
        dimension = null;
      }
      draw();
      const name = `${data.title}, ${data.rowWord} to ${data.columnWords[data.column]}`;
      numbers.update(data, name);
      if (last && isOpened(data, last)) player.open(root.children[0]);
      chose = false;
      announceFigure(root, {
        name: `${name}, step by step`,
        element: /** @type {Element} */ (root.querySelector('.why-steps')),
        tables: () => tables(data),
      });
    },
    destroy() {
      for (const type of CHOICES) document.removeEventListener(type, onChoice, true);
      player.pause();
      render(nothing, root);
    },
  };
}

/** @typedef {ReturnType<ReturnType<typeof createPlayer>['frame']>} Frame */

/** All numbers of the computation. @param {ComputationData} data */
function tables(data) {
  const { title, columnWords, scores, scaled, masked, weights, query, key, value, output, norms } = data;
  /** @param {string} name @param {string[]} labels @param {Record<string, Float32Array>} columns */
  const table = (name, labels, columns) =>
    tableOf(
      `${title}, ${name}`,
      Object.keys(columns),
      labels.map((label, i) => [label, ...Object.values(columns).map((each) => each[i])]),
    );
  return [
    table('the row', columnWords, { score: scores, scaled, masked, weight: weights }),
    table(
      'the cell',
      Array.from(query, (_, d) => `dimension ${d}`),
      { q: query, k: key, 'q × k': termsOf(data), v: value, 'α v': weightedOf(data), z: output },
    ),
    table(
      'the heads',
      Array.from(norms, (_, head) => `head ${head + 1}`),
      { norm: norms },
    ),
  ];
}

/** Whether they are of the same cell with the same numbers. @param {ComputationData} a @param {ComputationData} b */
const isSame = (a, b) =>
  a.title === b.title &&
  a.row === b.row &&
  a.column === b.column &&
  a.temperature === b.temperature &&
  a.columnWords === b.columnWords &&
  a.scores.every((score, i) => score === b.scores[i]) &&
  a.output.every((z, d) => z === b.output[d]);
