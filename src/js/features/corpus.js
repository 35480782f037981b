// Units over a corpus: where each is active, and which label it detects.
import { GlassformerError } from '../errors.js';
import { expectRank, expectShape, floats, integer, isObject, listOf, refuseType } from '../arrays/tensor.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * The places of a corpus: each token of each text, one after the other.
 * @typedef {object} Places
 * @property {Int32Array} text from 0
 * @property {Int32Array} token its place in its text, from 0
 * @property {Uint8Array} heldOut 1: of a text that training has not seen
 */

/**
 * Where a unit is active, from its largest value on; of equal ones the first place.
 * @typedef {object} Activity
 * @property {Int32Array} places of the corpus, from 0
 * @property {Float32Array} values above 0
 */

/**
 * The label that a unit detects best: it fires where its value is `threshold` or more. Label and threshold are those of
 * the largest F1 on the training part; all that follows is counted on the held-out part.
 * @typedef {object} Detector
 * @property {string} label as it was given
 * @property {number} threshold of the value
 * @property {number} right places where it fires and the label stands
 * @property {number} fired places where it fires
 * @property {number} labelled places with the label
 * @property {number} precision right / fired
 * @property {number} recall right / labelled
 * @property {number} f1 their harmonic mean
 */

/** The values that are active at each place, one place after the other: those of a place end at its `ends`. */
export class Corpus {
  /** @param {Places} places @param {number} units @param {number} most active ones of a place, as a first guess */
  constructor(places, units, most) {
    const { length } = places.text;
    this.places = places;
    this.units = units;
    this.ends = new Uint32Array(length);
    this.unit = new Uint32Array(length * most);
    this.value = new Float32Array(length * most);
    this.filled = 0;
  }

  /** The next place. @param {Float32Array} row [units] */
  add(row) {
    let end = this.filled ? this.ends[this.filled - 1] : 0;
    if (end + row.length > this.unit.length) this.#grow(end + row.length);
    for (let unit = 0; unit < row.length; unit++) {
      if (!(row[unit] > 0)) continue;
      this.unit[end] = unit;
      this.value[end++] = row[unit];
    }
    this.ends[this.filled++] = end;
  }

  /** @param {number} least */
  #grow(least) {
    const [unit, value] = [this.unit, this.value];
    const length = Math.max(2 * unit.length, least);
    (this.unit = new Uint32Array(length)).set(unit);
    (this.value = new Float32Array(length)).set(value);
  }

  /** The activities of all units, made once. @returns {Activity[]} */
  activities() {
    return (this.found ??= this.#activities());
  }

  /** @type {Activity[] | undefined} */
  found;

  #activities() {
    const counts = new Uint32Array(this.units);
    const end = this.filled ? this.ends[this.filled - 1] : 0;
    for (let i = 0; i < end; i++) counts[this.unit[i]]++;
    const all = Array.from(counts, (count) => ({ places: new Int32Array(count), values: new Float32Array(count) }));
    counts.fill(0);
    for (let place = 0, i = 0; place < this.filled; place++) {
      for (; i < this.ends[place]; i++) {
        const at = counts[this.unit[i]]++;
        all[this.unit[i]].places[at] = place;
        all[this.unit[i]].values[at] = this.value[i];
      }
    }
    return all.map(sorted);
  }
}

/** @param {Activity} activity @returns {Activity} from the largest on */
function sorted({ places, values }) {
  const order = Uint32Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
  return { places: Int32Array.from(order, (i) => places[i]), values: Float32Array.from(order, (i) => values[i]) };
}

/** @type {import('../arrays/tensor.js').Reader<readonly (readonly string[])[]>} */
export const readLabels = listOf(
  listOf(
    (label, name) => (typeof label === 'string' ? label : refuseType(name, label, 'a text')),
    'an array of labels',
  ),
  'the labels of each place: an array of arrays',
);

/**
 * Counts of each label in the training part and in the held-out part.
 * @param {readonly (readonly string[])[]} labels
 * @param {Uint8Array} heldOut
 */
export function countLabels(labels, heldOut) {
  /** @type {[train: Map<string, number>, heldOut: Map<string, number>]} */
  const counts = [new Map(), new Map()];
  labels.forEach((each, place) => {
    const part = counts[heldOut[place]];
    for (const label of each) part.set(label, (part.get(label) ?? 0) + 1);
  });
  return counts;
}

/**
 * The label that a unit detects best.
 * @param {Activity} activity
 * @param {readonly (readonly string[])[]} labels of each place
 * @param {Uint8Array} heldOut
 * @param {ReturnType<typeof countLabels>} counts
 * @returns {Detector | undefined} none of a unit that is never active in the training part
 */
export function detectorOf({ places, values }, labels, heldOut, [trained, held]) {
  /** @type {Map<string, number>} */
  const right = new Map();
  let fired = 0;
  let best = { f1: -1, label: '', threshold: 0 };
  /** @type {Set<string>} */
  const touched = new Set();
  for (let i = 0; i < places.length; i++) {
    const place = places[i];
    if (!heldOut[place]) {
      fired++;
      for (const label of labels[place]) {
        right.set(label, (right.get(label) ?? 0) + 1);
        touched.add(label);
      }
    }
    if (values[i + 1] === values[i]) continue; // a threshold lets all equal values through
    for (const label of touched) {
      const f1 = (2 * Number(right.get(label))) / (fired + Number(trained.get(label)));
      if (f1 > best.f1) best = { f1, label, threshold: values[i] };
    }
    touched.clear();
  }
  if (best.f1 < 0) return undefined;
  const { label, threshold } = best;
  let hits = 0;
  let all = 0;
  for (let i = 0; i < places.length && values[i] >= threshold; i++) {
    if (!heldOut[places[i]]) continue;
    all++;
    hits += Number(labels[places[i]].includes(label));
  }
  const labelled = held.get(label) ?? 0;
  const share = (/** @type {number} */ a, /** @type {number} */ b) => (b ? a / b : 0);
  const [precision, recall, f1] = [share(hits, all), share(hits, labelled), share(2 * hits, all + labelled)];
  return { label, threshold, right: hits, fired: all, labelled, precision, recall, f1 };
}

/** @param {unknown} given @returns {Places} */
function readPlaces(given) {
  const heldOut = isObject(given) && /** @type {any} */ (given).heldOut;
  return heldOut instanceof Uint8Array
    ? /** @type {Places} */ (given)
    : refuseType('places', given, 'the places of a corpus, as features.places');
}

/**
 * The label that each unit of some activations detects best, by the rule by which features are named: of neurons, say.
 * @param {import('../arrays/tensor.js').Floats} activations [places, units]; values of 0 or less are not active
 * @param {readonly (readonly string[])[]} labels of each place
 * @param {Places} places which of them are held out
 * @returns {(Detector | undefined)[]} by unit; undefined where it is never active in the training part
 * @throws {GlassformerError} type, shape
 * @example
 * import { detectors } from 'glassformer/features';
 * const places = { text: Int32Array.of(0, 1), token: Int32Array.of(0, 0), heldOut: Uint8Array.of(0, 1) };
 * const [unit] = detectors([[2], [3]], [['noun'], ['noun']], places);
 * unit.label; // → 'noun'
 * unit.f1; // → 1
 */
export function detectors(activations, labels, places) {
  const given = floats(activations, 'activations');
  expectRank(given, 2, 2, 'activations');
  const { heldOut } = readPlaces(places);
  const [count, units] = given.shape;
  expectShape(given, [heldOut.length, units], 'activations');
  const read = expectLabels(labels, count);
  const corpus = new Corpus(places, units, units);
  for (let place = 0; place < count; place++) corpus.add(given.data.subarray(place * units, (place + 1) * units));
  return detectorsOf(corpus, read);
}

/** @param {unknown} labels @param {number} count */
export function expectLabels(labels, count) {
  const read = readLabels(labels, 'labels');
  if (read.length === count) return read;
  throw new GlassformerError('shape', 'labels', [read.length], `must be of ${count} places`);
}

/** @param {Corpus} corpus @param {readonly (readonly string[])[]} labels */
export function detectorsOf(corpus, labels) {
  const { heldOut } = corpus.places;
  const counts = countLabels(labels, heldOut);
  return corpus.activities().map((activity) => detectorOf(activity, labels, heldOut, counts));
}

/**
 * An example of a unit over a corpus.
 * @typedef {object} Example
 * @property {number} text from 0
 * @property {number} token its place in that text
 * @property {number} value of the unit there
 * @property {boolean} heldOut of a text that training has not seen
 */

/**
 * Examples of a unit along its range, from its largest value on: the first has the largest, the last the smallest.
 * @param {Corpus} corpus
 * @param {number} unit
 * @param {number} count
 * @returns {Example[]} at most one of a text
 */
export function examplesOf(corpus, unit, count) {
  const { places, values } = corpus.activities()[unit];
  const { text, token, heldOut } = corpus.places;
  /** @type {Map<number, Example>} */
  const found = new Map();
  const last = places.length - 1;
  const steps = integer(1, 1e6)(count, 'count');
  for (let i = 0; i < steps && last >= 0; i++) {
    // The place nearest to an even division of the range of values, whose text has no example yet.
    const wanted = values[0] + ((values[last] - values[0]) * i) / Math.max(steps - 1, 1);
    let at = values.findIndex((value) => value <= wanted);
    while (at <= last && found.has(text[places[at]])) at++;
    if (at < 0 || at > last) continue;
    const place = places[at];
    found.set(text[place], {
      text: text[place],
      token: token[place],
      value: values[at],
      heldOut: heldOut[place] === 1,
    });
  }
  return [...found.values()].sort((a, b) => b.value - a.value || a.text - b.text);
}
