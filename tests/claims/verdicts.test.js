// Each verdict that a card offers to bet on can be the result of its experiment: `outcome` of made numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from '../../src/claims/index.js';

const five = (/** @type {unknown} */ value) => new Array(5).fill(value);
/** Curves of card 1 over seven widths. @param {number} value */
const curve = (value) => five(new Array(7).fill(value));
const WIDTHS = [8, 16, 32, 64, 128, 256, 512];
/** @param {number} atScores @param {number} atQuery both unscaled; 1 is kept */
const gradients = (atScores, atQuery) => ({
  widths: WIDTHS,
  unscaledCurve: curve(atScores),
  scaledCurve: curve(1),
  unscaledQueryCurve: curve(atQuery),
  scaledQueryCurve: curve(1),
  unscaledMeanCurve: curve(1),
  scaledMeanCurve: curve(1),
});
/** @param {number[]} unscaled shares right of three trainings @param {number[]} scaled */
const trainings = (unscaled, scaled) => ({
  all: [[16, 1e-2], [64, 2e-3], [64, 1e-2]], // prettier-ignore
  unscaledShares: five(unscaled),
  scaledShares: five(scaled),
});
/** @param {number} first @param {number} last */
const weights = (first, last) => ({
  firstTop: five(first),
  lastTop: five(last),
  firstNorm: five(first),
  lastNorm: five(last),
  chance: five(0.1),
  byWidth: five([0.5]),
  widths: [4],
  variation: five(0.5),
});
/** Losses with other ratios, as multiples of that with 4. @param {number} facts @param {number} others */
const wider = (facts, others) =>
  Object.fromEntries(
    ['facts', 'reverse', 'sort'].flatMap((task) =>
      ['One', 'Two', 'Eight'].map((name) => [`${task}${name}`, five(task === 'facts' ? facts : others)]),
    ),
  );
/** Rates of four at which it learns, without LayerNorm at one. @param {number} post @param {number} pre */
const stabilised = (post, pre) =>
  Object.fromEntries(
    [2, 8].flatMap((layers) =>
      Object.entries({ none: 1, post, pre }).map(([name, rates]) => [`${name}${layers}Rates`, five(rates)]),
    ),
  );
/** @param {number} spared64 @param {number} spared256 */
const memory = (spared64, spared256) => ({
  difference: five(0),
  ...Object.fromEntries(
    [64, 256].flatMap((load) => [
      [`spared${load}`, five(load === 64 ? spared64 : spared256)],
      [`right${load}`, five(1)],
      [`ffnOff${load}`, five(0.1)],
      [`attentionOnly${load}`, five(1)],
      [`harmless${load}`, five(1)],
      [`kills${load}`, five([1, 1])],
    ]),
  ),
});
/** @param {number[]} shares of the seeds, by task and number of heads */
const heads = ([two, four, reverse2, reverse4]) => ({
  neighboursShare2: two,
  neighboursShare4: four,
  reverseShare2: reverse2,
  reverseShare4: reverse4,
  neighbours2: [0.5],
  neighbours4: [0.5],
  reverse2: [0.5],
  reverse4: [0.5],
  counts: [2, 4],
  tasks: ['name both neighbours', 'reverse'],
});
/** @param {number} both @param {number} network @param {number} attention gains */
const gains = (both, network, attention) =>
  Object.fromEntries([
    ...[12, 24, 48].flatMap((depth) => [
      [`plain${depth}`, five(1e-9)],
      [`gain${depth}`, five(both)],
      [`network${depth}`, five(network)],
      [`attention${depth}`, five(attention)],
      [`cosine${depth}`, five(1)],
    ]),
    ['normGain', five(1)],
    ['normCosine', five(1)],
  ]);
const SIZES = 11;
/** @param {number} moderate @param {number} largest lengths of rows */
const norms = (moderate, largest) => ({
  width: 64,
  byScale: five([...new Array(SIZES - 1).fill(moderate), largest]),
  entry: five(1),
  ofBound: five(0.5),
});

/** @param {number[]} shares right of the digit 3 back and of a key's value, at twice the length and at eight times */
const lengths = ([back2, key2, back8, key8]) => ({
  ...Object.fromEntries(
    ['back', 'key'].flatMap((name) => [
      [`${name}1`, five(1)],
      [`${name}Curve`, five([1])],
    ]),
  ),
  ...Object.fromEntries(Object.entries({ back2, key2, back8, key8 }).map(([name, share]) => [name, five(share)])),
});
/** @param {number} rmsSteps @param {number} swapped share right with the other norm */
const swaps = (rmsSteps, swapped) => ({
  layerSteps: five(120),
  rmsSteps: five(rmsSteps),
  layerRight: five(1),
  rmsRight: five(1),
  swapped: five(swapped),
  swappedBack: five(swapped),
  atMean1: five(0.7),
});
/** @param {number[]} shares right with two and with one head of keys and values, in reverse and of the facts */
const groups = ([reverse2, reverse1, facts2, facts1]) => ({
  ...{ reverse4: five(1), facts4: five(1) },
  ...Object.fromEntries(
    Object.entries({ reverse2, reverse1, facts2, facts1 }).map(([name, share]) => [name, five(share)]),
  ),
});
/** @param {number[]} ratios of losses */
const losses = ([factsRatio, reverseRatio, productRatio, largerRatio, smoothRatio]) =>
  Object.fromEntries(
    Object.entries({
      ...{ factsRatio, reverseRatio, productRatio, largerRatio, smoothRatio },
      ...{ smoothSlowRatio: 1, smoothFastRatio: 1 },
    }).map(([name, each]) => [name, five(each)]),
  );

/** @param {number} four share right of 4 random neurons @param {number} many of 64; of learned ones all */
const neurons = (four, many) => ({
  ...{ few: 4, wide: 64 },
  ...Object.fromEntries(
    ['xor', 'moons'].flatMap((name) => [
      [`${name}Frozen4`, five(four)],
      [`${name}Frozen64`, five(many)],
      [`${name}Learned4`, five(1)],
      [`${name}Learned64`, five(1)],
    ]),
  ),
});

/** @param {number} nearest share of nouns whose nearest is of their kind @param {number} narrow in narrow vectors */
const words = (nearest, narrow) => ({
  nearest: five(nearest),
  nearestNarrow: five(narrow),
  nearestBefore: five(0.2),
  alike: five(0.5),
  apart: five(0),
  opposites: five(0.5),
});

/**
 * With ReLU all are right.
 * @param {number[]} others shares right of XOR, moons and reversal @param {number} soon of the first two
 */
const activations = (others, soon) =>
  Object.fromEntries(
    ['xor', 'moons', 'reverse'].flatMap((name, i) => [
      [`${name}Relu`, five(1)],
      [`${name}Other`, five(others[i])],
      [`${name}ReluSoon`, name === 'reverse' ? undefined : five(1)],
      [`${name}OtherSoon`, name === 'reverse' ? undefined : five(soon)],
    ]),
  );

/**
 * @param {number} steps with sinusoids @param {number} right with them @param {number} beyond at new places
 * @param {number} long steps in long rows
 */
const offsets = (steps, right, beyond, long) => ({
  ...{ sinusoidalLongSteps: five(long), learnedLongSteps: five(210) },
  ...{ sinusoidalRight: five(right), sinusoidalSteps: five(steps), sinusoidalNew: five(beyond) },
  ...{ learnedRight: five(1), learnedSteps: five(120), learnedNew: five(0.1), noneRight: five(0.3) },
});
/** @param {number} back share right with fixed maps @param {number} key the same of a key's value */
const fixedMaps = (back, key) => ({
  ...{ backRight: five(1), backFixed: five(back), keyRight: five(1), keyFixed: five(key) },
});

/** @param {number} decay share of unseen pairs right at the end, with weight decay @param {number} plain without */
const grown = (decay, plain) => ({
  ...Object.fromEntries(
    ['Decay', 'Plain'].flatMap((name) => [
      [`steps${name}`, five(75)],
      [`learned${name}`, five(0)],
    ]),
  ),
  ...{ endDecay: five(decay), endPlain: five(plain), lossLearnedPlain: five(20), lossEndPlain: five(40) },
});
/** @param {number} small λη/2 at the small rate @param {number} large at the large one */
const edges = (small, large) => ({
  ...{ rates: [0.05, 0.5], edgeSmall: five(small), edgeLarge: five(large) },
  ...Object.fromEntries(
    ['Small', 'Large'].flatMap((name) => [
      [`first${name}`, five(0.1)],
      [`rises${name}`, five(0.4)],
      [`fall${name}`, five(0.01)],
    ]),
  ),
});

/** @param {number} one share of repeats continued by one layer @param {number} oneBack of tokens 3 places back */
const layers = (one, oneBack) => ({
  ...{ one: five(one), wide: five(one), two: five(1), twoSudden: five(0.8), oneSudden: five(0.4) },
  ...{ oneBack: five(oneBack), wideBack: five(oneBack), twoBack: five(1) },
});
/** @param {number} fresh probability that a swap moves where letters are new @param {number} again where they repeat */
const sinks = (fresh, again) => ({
  ...{ firstNew: five(0.6), firstAgain: five(0.02), isTopNew: five(0.8), hiddenNew: five(0.8), hiddenAgain: five(0) },
  ...{ swappedNew: five(fresh), swappedAgain: five(again) },
});

/** @param {number} one share of layer 1's neurons that detect one label @param {number} two of layer 2's */
const concepts = (one, two) => ({
  ...{ count: 96, neurons1: five(one), neurons2: five(two) },
  ...{ random: five(0.05), features: five(0.4) },
});

/** @param {number} early words saved after 100 steps @param {number} late after 300 and 600 */
const searched = (early, late) =>
  Object.fromEntries(
    [100, 300, 600].flatMap((at) => [
      [`greedy${at}`, five(0.5)],
      [`beams${at}`, five(0.5 - (at > 100 ? late : early))],
      [`spared${at}`, five(at > 100 ? late : early)],
    ]),
  );

/** @param {number} many words wrong with 32 beams @param {number} manyByMean */
const beams = (many, manyByMean) => ({
  ...{ few: five(0.5), many: five(many), length: five(0.3) },
  ...{ fewByMean: five(0.5), manyByMean: five(manyByMean) },
});

/** @param {number} first @param {number} last shares of words found */
const translator = (first, last) => ({
  ...{ firstContent: five(first), first: five(first), lastContent: five(last), last: five(last) },
  diagonal: five(0.7),
});

/** @param {number} turned share of the answers that turn without the features that detect */
const causes = (turned) => ({ hidden: five(0.5), detected: five(1), turned: five(turned) });

/**
 * With an FFN all are right.
 * @param {number} wide share right of one layer of attention alone @param {number} deep of two
 */
const alone = (wide, deep) => ({
  ...{ aloneWide: five(wide), aloneDeep: five(deep), withWide: five(1), withDeep: five(1) },
  ...{ aloneWideSize: 1, aloneDeepSize: 1, withWideSize: 1, withDeepSize: 1 },
});

/** @param {number} alike share of the features with a partner of cosine 0.7 @param {number} same of 0.9 */
const partners = (alike, same) => ({
  ...{ alike: five(alike), same: five(same), middle: five(0.7), unexplained: five(0.1) },
});

/** @param {number} dense features that come back @param {number} sparse likewise */
const throughNumbers = (dense, sparse) => ({
  ...{ width: 5, ofFeatures: 20, chances: [1, 0.03], foundDense: five(dense), foundSparse: five(sparse) },
});

/** Made numbers by verdict. @type {Record<number, Record<string, object>>} */
const MADE = {
  1: { true: gradients(0.1, 0.1), 'it depends': gradients(0.1, 1), false: gradients(1, 1) },
  2: {
    true: trainings([0.2, 0.2, 0.2], [1, 1, 1]),
    'it depends': trainings([1, 1, 0.2], [1, 1, 1]),
    false: trainings([1, 1, 0.2], [1, 1, 0.2]),
  },
  3: {
    true: { rotationError: 1e-7, nearError: 1e-7 },
    'it depends': { rotationError: 1, nearError: 1e-7 },
    false: { rotationError: 1, nearError: 1 },
  },
  4: {
    true: { bidirectional: five(0), causal: five(0) },
    'it depends': { bidirectional: five(0), causal: five(1) },
    false: { bidirectional: five(1), causal: five(1) },
  },
  5: {
    true: { right: five(0.2), causalRight: five(0.2), withoutStart: five(0) },
    'it depends': { right: five(0.2), causalRight: five(1), withoutStart: five(0) },
    false: { right: five(1), causalRight: five(1), withoutStart: five(0) },
  },
  6: {
    true: { without: five(0.6), with: five(1), decoder: five(0.6), ceiling: 0.591 },
    'it depends': { without: five(0.6), with: five(1), decoder: five(0.95), ceiling: 0.591 },
    false: { without: five(0.95), with: five(1), decoder: five(0.95), ceiling: 0.591 },
  },
  7: {
    true: { neurons: 8, kinks: 8, bestError: 1 / 162, ratio: five(2) },
    'it depends': { neurons: 8, kinks: 8, bestError: 0.1, ratio: five(2) },
    false: { neurons: 8, kinks: 9, bestError: 1 / 162, ratio: five(2) },
  },
  8: {
    true: { bend: 0, learntBend: five(0), at3: 5, learntAt3: five(5) },
    'it depends': { bend: 0, learntBend: five(1), at3: 5, learntAt3: five(5) },
    false: { bend: 1, learntBend: five(1), at3: 9, learntAt3: five(9) },
  },
  9: { true: norms(8, 8), 'it depends': norms(8, 80), false: norms(80, 80) },
  10: {
    true: { andError: 0.25, productR2: 0 },
    'it depends': { andError: 0.25, productR2: 1 },
    false: { andError: 0, productR2: 1 },
  },
  11: {
    true: { error: five(0), twoHeads: five(0), byScale: five([0, 0]) },
    'it depends': { error: five(0.8), twoHeads: five(0), byScale: five([0, 0.8]) },
    false: { error: five(0.8), twoHeads: five(0), byScale: five([0.02, 0.8]) },
  },
  12: {
    true: { own: five(1), elsewhere: five(0), swapped: five(0) },
    'it depends': { own: five(1), elsewhere: five(0), swapped: five(1) },
    false: { own: five(1), elsewhere: five(1), swapped: five(1) },
  },
  13: { true: memory(0.5, 0.1), 'it depends': memory(1, 0.1), false: memory(1, 1) },
  14: { true: heads([1, 1, 0.8, 1]), 'it depends': heads([1, 1, 0.2, 1]), false: heads([0, 0, 0, 0]) },
  15: {
    true: { difference: five(0), headsPerOutput: five(4), most: five(4) },
    'it depends': { difference: five(0), headsPerOutput: five(1), most: five(4) },
    false: { difference: five(0), headsPerOutput: five(1), most: five(1) },
  },
  16: {
    true: { identity: 0, raw: 1, share: five(1), steps: five(200), peak: five(2) },
    'it depends': { identity: 0, raw: 1, share: five(0.3), steps: five(Infinity), peak: five(2) },
    false: { identity: 1, raw: 1, share: five(0.3), steps: five(Infinity), peak: five(2) },
  },
  17: { true: gains(1e6, 900, 1e9), 'it depends': gains(1e6, 1e-6, 1e9), false: gains(1e-6, 1e-6, 1e-6) },
  18: {
    true: { loss: five(2.303), before: five(0) },
    'it depends': { loss: five(2.303), before: five(1e-3) },
    false: { loss: five(0.2), before: five(1) },
  },
  19: Object.fromEntries(
    /** @type {const} */ ([
      ['true', 0.95, 0.95],
      ['it depends', 0.8, 0.95],
      ['false', 0.3, 0.3],
    ]).map(([verdict, first, last]) => [
      verdict,
      {
        bestTop: five(last),
        bestMass: five(0.9),
        firstTop: five(first),
        lastTop: five(last),
        right: five(1),
        rightOfTwo: five(1),
      },
    ]),
  ),
  20: {
    true: { difference: five(0), sumError: five(0) },
    'it depends': { difference: five(0), sumError: five(1) },
    false: { difference: five(1), sumError: five(1) },
  },
  21: { true: weights(0.8, 0.9), 'it depends': weights(0.2, 0.9), false: weights(0.2, 0.2) },
  22: {
    true: { share: 0.1, decoderShare: 0.1, widening: 0.5 },
    'it depends': { share: 0.3, decoderShare: 0.2, widening: 2 },
    false: { share: 0.6, decoderShare: 0.5, widening: 4 },
  },
  23: {
    true: { gaps: [5, 15], byGap: [[1, 0.9], [1, 0.9]] }, // prettier-ignore
    'it depends': { gaps: [5, 15], byGap: [[0.9, 0.1], [1, 0.9]] }, // prettier-ignore
    false: { gaps: [5, 15], byGap: [[0.2, 0.1], [0.3, 0.1]] }, // prettier-ignore
  },
  24: {
    true: { moved: five(1e-7), rounded: five(1e-7), near: five(1e-7), apart: five(3), model: five(1e-6) },
    'it depends': { moved: five(1e-7), rounded: five(0.1), near: five(1e-7), apart: five(3), model: five(1e-6) },
    false: { moved: five(1), rounded: five(1), near: five(1), apart: five(3), model: five(1) },
  },
  25: { true: lengths([1, 1, 1, 1]), 'it depends': lengths([0.7, 1, 0.2, 0.6]), false: lengths([0.7, 0.8, 0.2, 0.6]) },
  26: { true: swaps(125, 0.99), 'it depends': swaps(125, 0.7), false: swaps(200, 0.7) },
  27: {
    true: groups([1, 0.99, 0.97, 0.96]),
    'it depends': groups([1, 0.99, 0.9, 0.8]),
    false: groups([0.9, 0.8, 0.9, 0.8]),
  },
  28: {
    true: losses([0.9, 0.9, 0.1, 0.9, 0.1]),
    'it depends': losses([0.9, 1, 0.1, 30, 0.1]),
    false: losses([1, 1, 1, 30, 1]),
  },
  29: {
    true: { own: five(1), within: five(0), end: five(0), least: five(0) },
    'it depends': { own: five(1), within: five(0), end: five(1), least: five(0.1) },
    false: { own: five(1), within: five(1), end: five(1), least: five(0.1) },
  },
  31: {
    true: { reach: five(63), farShare: five(1), layers: five(1), thin: five([1, 0.1, 0.01]) },
    'it depends': { reach: five(63), farShare: five(0.1), layers: five(1), thin: five([1, 0.1, 0.01]) },
    false: { reach: five(7), farShare: five(0), layers: five(9), thin: five([1, 0.1, 0.01]) },
  },
  30: {
    true: { difference: five(0), passes: five(1), firstRight: five(28) },
    'it depends': { difference: five(0), passes: five(28), firstRight: five(1) },
    false: { difference: five(1), passes: five(28), firstRight: five(1) },
  },
  33: { true: neurons(1, 1), 'it depends': neurons(0.8, 1), false: neurons(0.8, 0.8) },
  34: { true: words(1, 0.95), 'it depends': words(1, 0.8), false: words(0.2, 0.2) },
  32: {
    true: activations([0.5, 0.5, 0.5], 0.5),
    'it depends': activations([1, 1, 1], 0.9),
    false: activations([1, 1, 1], 1),
  },
  35: {
    true: offsets(60, 1, 1, 100),
    'it depends': offsets(120, 1, 0.3, 150),
    false: offsets(Infinity, 0.3, 0.1, Infinity),
  },
  36: { true: fixedMaps(0.4, 0.4), 'it depends': fixedMaps(1, 0.4), false: fixedMaps(1, 1) },
  37: {
    true: { difference: five(0), least: five(0), half: five(0.1) },
    'it depends': { difference: five(1), least: five(0), half: five(0.1) },
    false: { difference: five(1), least: five(1), half: five(0.1) },
  },
  38: { true: grown(0.1, 0), 'it depends': grown(0.9, 0), false: grown(0.9, 0.9) },
  39: { true: edges(0.1, 0.4), 'it depends': edges(0.1, 1), false: edges(1, 1) },
  40: { true: layers(1, 1), 'it depends': layers(0.3, 1), false: layers(0.3, 0.3) },
  41: { true: sinks(0.9, 0.9), 'it depends': sinks(0.1, 0.9), false: sinks(0.1, 0.1) },
  42: { true: concepts(0.9, 0.9), 'it depends': concepts(0.9, 0.1), false: concepts(0.1, 0.1) },
  43: { true: causes(0.4), false: causes(0.1) },
  45: { true: alone(0.6, 0.6), 'it depends': alone(0.6, 1), false: alone(1, 1) },
  44: { true: partners(0.9, 0.9), 'it depends': partners(0.9, 0.1), false: partners(0.1, 0.1) },
  47: { true: wider(2, 2), 'it depends': wider(2, 1), false: wider(1, 1) },
  48: { true: stabilised(3, 3), 'it depends': stabilised(1, 3), false: stabilised(1, 1) },
  49: { true: searched(0.1, 0.1), 'it depends': searched(0.1, 0), false: searched(0, 0) },
  50: { true: beams(0.2, 0.2), 'it depends': beams(0.9, 0.2), false: beams(0.9, 0.5) },
  51: { true: translator(0.95, 0.95), 'it depends': translator(0.3, 0.95), false: translator(0.3, 0.3) },
  46: { true: throughNumbers(2, 4), 'it depends': throughNumbers(2, 20), false: throughNumbers(9, 20) },
};

for (const { claim, outcome } of claims)
  test(`${claim.number}. ${claim.name}: each verdict that can be bet on can be found`, () => {
    const made = MADE[claim.number];
    assert.deepEqual(Object.keys(made).sort(), claim.choices.map(({ verdict }) => verdict).sort());
    for (const [verdict, numbers] of Object.entries(made)) {
      const found = outcome(numbers);
      assert.ok(found.kind === 'sentence');
      assert.equal(found.verdict, verdict, found.found);
      assert.equal(Boolean(found.on), verdict === 'it depends', 'what it depends on is said where it does');
      assert.doesNotMatch(found.found, /undefined|NaN/);
    }
  });
