// Plays the steps of one weight in about four seconds: the products one after another with their running sum, scale,
// mask, the bars of the softmax, the weighted sum. A position counts the frames from 1; the last is the whole result.

import { formatValue } from '../../draw/canvas.js';
import { roundLimit } from '../../draw/color.js';

/**
 * @typedef {import('./view.js').ComputationData} ComputationData
 * @typedef {ReturnType<typeof import('./view.js').stripsOf>} Strips
 * @typedef {ReturnType<typeof import('../../draw/strip.js').createStrip>} Strip
 * @typedef {ReturnType<typeof createPlayer>} Player
 * @typedef {ReturnType<typeof frameAt>} Frame
 * @typedef {{products: Strip, values: Strip}} StripPair
 */

const SOFTMAX_FRAMES = 24;
const MOST_SUMS = 32;

/** Steps of the story: their names, how many frames they have and how long they take. @param {ComputationData} data */
export const stepsOf = ({ query, columnWords }) => [
  { name: 'Query times key', frames: query.length, ms: 1700 },
  { name: 'Scale', frames: 1, ms: 500 },
  { name: 'Mask', frames: 1, ms: 400 },
  { name: 'Softmax', frames: SOFTMAX_FRAMES, ms: 700 },
  { name: 'Weighted sum', frames: Math.min(columnWords.length, MOST_SUMS), ms: 700 },
];

/** The steps with the positions before each, and the last position. @param {ComputationData} data */
function timeline(data) {
  let [before, from] = [0, 0];
  const steps = stepsOf(data).map((step, at) => {
    const placed = { ...step, at, before, from };
    before += step.frames;
    from += step.ms;
    return placed;
  });
  return { steps, last: before, ms: from };
}

/** @param {ComputationData} data @param {number} ms since the beginning @returns {number} the position then */
export function positionAt(data, ms) {
  const { steps, last } = timeline(data);
  const step = steps.findLast(({ from }) => from <= ms) ?? steps[0];
  const done = step.before + 1 + Math.floor(((ms - step.from) / step.ms) * step.frames);
  return Math.min(last, Math.max(1, done));
}

/**
 * What is to be seen at a position: the step, how much of it, and its number. `terms`, `keys`: how many are
 * summed; `share` of the way of the bars from e^(m − max) to α.
 * @param {ComputationData} data
 * @param {number} position
 */
export function frameAt(data, position) {
  const { query, key, scores, scaled, masked, weights, column, columnWords } = data;
  const { steps, last } = timeline(data);
  const { at, name, frames, before } = /** @type {typeof steps[number]} */ (
    steps.findLast((step) => step.before < position)
  );
  const index = position - before; // from 1
  const terms = at ? query.length : index;
  const keys = at < 4 ? 0 : Math.ceil((index * columnWords.length) / frames);
  const frame = { at, name, terms, keys, share: at < 3 ? -1 : at > 3 ? 1 : (index - 1) / (frames - 1) };
  const isLast = position === last;
  if (at === 0) {
    let sum = 0;
    for (let d = 0; d < terms; d++) sum += query[d] * key[d];
    const what = `sum up to dimension ${terms - 1} of ${query.length - 1}`;
    return { ...frame, what, number: terms < query.length ? sum : scores[column], isLast };
  }
  if (at === 1) return { ...frame, what: 'scaled score', number: scaled[column], isLast };
  if (at === 2)
    return {
      ...frame,
      what: masked[column] === -Infinity ? 'masked, m' : 'not masked, m',
      number: masked[column],
      isLast,
    };
  if (at === 3) return { ...frame, what: 'weight α', number: weights[column], isLast };
  const what = `length of the sum over ${keys} of ${columnWords.length} keys`;
  return { ...frame, what, number: Math.hypot(...sumAt(data, keys)), isLast };
}

/**
 * The weighted values of the first keys, summed; of all, the module's output, unless that is set by hand.
 * @param {ComputationData} data
 * @param {number} keys
 */
export function sumAt({ weights, values, output, set }, keys) {
  if (keys === weights.length && !set) return output;
  const sum = new Float32Array(output.length);
  for (let s = 0; s < keys; s++) for (let d = 0; d < sum.length; d++) sum[d] += weights[s] * values[s * sum.length + d];
  return sum;
}

/**
 * @param {HTMLElement} root with the story and the bar of the player
 * @param {StripPair} strips
 */
export function createPlayer(root, strips) {
  /** @type {{data: ComputationData, own: Strips} | null} */
  let now = null;
  let position = Infinity;
  let frame = 0; // the animation frame that is asked for
  const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root.querySelector(selector));

  /** Opened out of sight: it plays when it comes into sight. */
  const observer = new IntersectionObserver((entries) => {
    if (!entries.at(-1)?.isIntersecting) return;
    observer.disconnect();
    play(1);
  });

  function show() {
    if (!now) return;
    const { data, own } = now;
    const { last } = timeline(data);
    position = Math.min(last, Math.max(1, position));
    const at = frameAt(data, position);
    drawBar(root, at, { position, last, isPlaying: frame > 0 });
    drawStory(part('.story'), at);
    drawStrips(strips, own, data, at);
    drawSoftmax(root, data, at);
  }

  function pause() {
    cancelAnimationFrame(frame);
    observer.disconnect();
    frame = 0;
  }

  /** @param {number} from */
  function play(from) {
    pause();
    if (!now) return;
    const { data } = now;
    const { steps, ms, last } = timeline(data);
    position = from >= last ? 1 : from;
    const step = steps.findLast(({ before }) => before < position) ?? steps[0];
    const begin = step.from + ((position - 1 - step.before) / step.frames) * step.ms;
    /** @type {number | null} */
    let started = null;
    /** @param {number} time */
    function tick(time) {
      started ??= time;
      const passed = begin + time - started;
      frame = passed < ms ? requestAnimationFrame(tick) : 0;
      const next = passed < ms ? positionAt(data, passed) : last;
      if (next === position && frame && passed > begin) return;
      position = next;
      show();
    }
    frame = requestAnimationFrame(tick);
    show();
  }

  /** To the end of the next step or of the one before; back from the first to its beginning. @param {1 | -1} way */
  function step(way) {
    pause();
    if (!now) return;
    const { steps } = timeline(now.data);
    const ends = steps.map(({ before, frames }) => before + frames);
    position =
      (way > 0 ? ends.find((end) => end > position) : ends.findLast((end) => end < position)) ??
      (way > 0 ? position : 1);
    show();
  }

  return {
    /** What the story shows now. @param {ComputationData} data @param {Strips} own @param {boolean} same cell */
    update(data, own, same) {
      now = { data, own };
      if (same) return void (position < timeline(data).last && show());
      pause();
      position = Infinity;
      show();
    },
    open: () => observer.observe(part('.player')),
    toggle: () => (frame ? (pause(), show()) : play(position)),
    step,
    /** @param {number} share of the way */
    seek(share) {
      pause();
      if (!now) return;
      position = 1 + Math.round(share * (timeline(now.data).last - 1));
      show();
    },
    destroy: pause,
  };
}

/**
 * The bar of the player: its button, its place and the line of the present number.
 * @param {HTMLElement} root @param {Frame} at
 * @param {{position: number, last: number, isPlaying: boolean}} playing
 */
function drawBar(root, at, { position, last, isPlaying }) {
  const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root.querySelector(selector));
  const number = Object.assign(document.createElement('span'), {
    className: 'number',
    textContent: formatValue(at.number),
  });
  const range = /** @type {HTMLInputElement} */ (part('.player input'));
  [range.min, range.max, range.value] = ['1', String(last), String(position)];
  range.setAttribute('aria-valuetext', `${at.name}: ${at.what} = ${number.textContent}`);
  part('.player-play').textContent = isPlaying ? 'Pause' : 'Play';
  part('.player-line').replaceChildren(`${at.name}: ${at.what} = `, number);
}

/** Highlights the present step; those to come are dim. @param {HTMLElement} story @param {Frame} at */
function drawStory(story, at) {
  [...story.children].forEach((item, i) => {
    item.classList.toggle('lit', !at.isLast && i === at.at);
    item.classList.toggle('ahead', !at.isLast && i > at.at);
  });
}

/** @param {StripPair} strips @param {Strips} own @param {ComputationData} data @param {Frame} at */
function drawStrips(strips, { products, values }, data, at) {
  const columns = data.query.length;
  const terms = products.data.map((value, i) => (i % columns < at.terms || i < 2 * columns ? value : 0));
  const describe = (/** @type {number | null} */ column) => products.describe(column ?? at.terms - 1);
  strips.products.update(at.at ? products : { ...products, data: terms, limit: roundLimit(products.data), describe });
  const sums = values.data.slice();
  if (!at.isLast) sums.set(sumAt(data, at.keys), 2 * columns);
  strips.values.update(at.isLast ? values : { ...values, data: sums, limit: roundLimit(values.data) });
}

/** @param {HTMLElement} root @param {ComputationData} data @param {Frame} at */
function drawSoftmax(root, { masked, weights }, { share }) {
  const most = masked.reduce((a, b) => Math.max(a, b), -Infinity);
  for (const bar of root.querySelectorAll('.softmax rect')) {
    const key = Number(/** @type {HTMLElement} */ (bar.closest('tr')).dataset.key);
    const from = masked[key] === -Infinity ? 0 : Math.exp(masked[key] - most);
    const width = share < 1 ? from + share * (weights[key] - from) : weights[key];
    bar.setAttribute('width', String(share < 0 ? 0 : Math.min(1, Math.max(0, width)) || 0));
  }
}
