// The face of features: the offer, what has been found, a feature's card, its changes, every part switched off alone.
// All numbers are those of a dictionary that this test trains itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { creekFeatures, shipped } from '../../in-node.js';
import { gf, open } from '../table.js';

const { html } = await import('lit-html'); // once there is a document
const { dictionary } = await import('../../../../web/explore/dictionary.js');
const { features } = await import('../../../../web/explore/index.js');
const { nameOf, withAsked } = await import('../../../../web/explore/shared/dictionary.js');
const { sentencesLike } = await import('../../../../web/explore/derived/features-hold.js');
const { ADJECTIVES, NOUNS } = await import('../../../../src/tasks/lexicon.js');
const { readLink, openingState, writeLink } = await import('../../../../web/app/schema.js');

const TEXT = 'the dog did not jump over the creek because it was tired .';
const IT = 9;
const NAME = 'encoder.1.out.0';
const AT = 'encoder.layers.1.out';
const LINK = `model=creek&head=2.1&row=${IT}&part=norm&sublayer=2&face=features&text=${encodeURIComponent(TEXT)}`;

/** @param {string} name */
const one = (name) => /** @type {any} */ (dictionary.get(`feature-${name}`));
const all = ['map', 'card', 'try', 'strip', 'hold', 'wait'].map(one);
/** The whole face. @type {any} */
const face = {
  name: 'face',
  local: {},
  needs: (/** @type {any} */ query) => [
    ...new Set([
      ...(query.plan.hasLogits ? ['@probabilities'] : []),
      ...all.flatMap((each) => each.needs?.(query) ?? []),
    ]),
  ],
  render: (/** @type {any} */ context, /** @type {any} */ tools) =>
    html`${all.map((each) => html`<div data-of=${each.name}>${each.render(context, tools) ?? null}</div>`)}`,
};

/** Trained once for all tests. @type {Promise<any> | undefined} */
let trained;
async function reference() {
  const { model, ids, vocabulary } = shipped(gf, 'creek');
  const { made, scores } = await creekFeatures(await load({ variant: 'simd' }));
  const own = ids(TEXT);
  model.forward({ ids: own, capture: true });
  const { data } = model.tensor(AT);
  const row = { data: data.slice(IT * made.width, (IT + 1) * made.width), shape: [1, made.width] };
  const values = made.encode(row).data;
  const here = [...values.keys()].filter((n) => values[n] > 0).sort((a, b) => values[b] - values[a]);
  /** The probabilities at “it” with features changed. @param {{feature: number, scale: number}[]} edits */
  function answer(edits) {
    const patches = edits.length ? [{ name: AT, index: [0, IT, null], value: made.change(row, edits).data }] : [];
    const { data: logits, shape } = model.forward({ ids: own, capture: true, patches }).logits;
    const width = shape[2];
    return gf.softmax({ data: logits.slice(IT * width, (IT + 1) * width), shape: [1, width] }).data;
  }
  return { made, scores, values, here, answer, vocabulary, model, own };
}
const known = () => (trained ??= reference());

/** The probabilities at “it” of the pass that is shown. @param {Awaited<ReturnType<typeof open>>} page */
function probabilitiesIn(page) {
  const { data, shape } = page.result().derived.get('@probabilities');
  return [...data.subarray(IT * shape[2], (IT + 1) * shape[2])];
}

/** The page with the features found. @param {string} [more] */
async function found(more = '') {
  const page = await open(face, `${LINK}&found=${NAME}${more}`);
  await page.change({ ready: [NAME] });
  return page;
}

test('a table of states: what is asked for, what is said before any feature is found', async () => {
  for (const [link, needs, said] of /** @type {[string, string[], RegExp][]} */ ([
    [
      LINK,
      ['@probabilities'],
      /^Residual stream LengthsFeatures The 48 coordinates .* Find its features \(about \d+ s\)$/,
    ],
    [
      LINK.replace('part=norm&sublayer=2', 'part=ffn'),
      ['@probabilities'],
      /^Feed-forward network NeuronsFeatures The 96 neurons .* Find/,
    ],
  ])) {
    const page = await open(face, link);
    assert.deepEqual(page.needs(), needs, link);
    assert.match(page.text(), said, link);
  }
  const { when } = /** @type {any} */ (features.find(({ name }) => name === 'feature-map'));
  for (const [link, isShown] of /** @type {[string, boolean][]} */ ([
    [LINK, true],
    ['model=creek&part=ffn', false],
    ['model=translate&part=ffn&face=features', false],
    ['model=untrained&part=ffn&face=features', false],
  ])) {
    const { state, session } = await open({ ...one('map'), needs: () => [], render: () => null }, link);
    assert.equal(when({ plan: session.plan(), state: state() }), isShown, link);
  }
  const page = await open(one('map'), LINK);
  /** @type {any} */ (page.root.querySelector('#find-features')).click();
  assert.equal(page.state().found, NAME);
  assert.deepEqual(page.needs(), [`@features/${NAME}`]);
  assert.equal(withAsked(page.state(), 'encoder.1.out.3').found, 'encoder.1.out.3', 'another seed in its place');
  assert.equal(withAsked(page.state(), 'encoder.2.out.0').found, `${NAME},encoder.2.out.0`);
});

test('found: the names, strengths and counts are those of the module', { timeout: 240_000 }, async () => {
  const { made, scores, values, here } = await known();
  const page = await found();
  const { answer } = /** @type {any} */ ({ answer: page.result().derived.get(`@features/${NAME}`) });
  assert.deepEqual(answer.scores, scores);
  const row = answer.values.subarray(IT * made.size, (IT + 1) * made.size);
  assert.deepEqual([...row], [...values]);
  assert.deepEqual(
    page.all('.feature-list li span'),
    here.map((/** @type {number} */ n) => nameOf(scores[n], n)),
  );
  const chosen = Number(page.root.querySelector('#feature-card')?.getAttribute('data-feature'));
  assert.match(scores[chosen].label, /^pronoun for animal$/, 'not the strongest, which only says the word');
  const { right, fired, f1 } = scores[chosen];
  assert(f1 > 0.7, `${f1}`);
  assert(page.all('.feature-row .hint')[0].startsWith(`${right} of ${fired} times in sentences`));
  assert.equal(page.all('.feature-examples li').length, 5);
  assert.match(page.text(), new RegExp(`One of the ${here.length} features at it, after layer 2`));
  const readout = page.all('.map-readout bdi')[0];
  assert.equal(readout, 'row it, feature pronoun for animal');
  await page.click('[aria-label="Next feature"]');
  assert.equal(page.state().cursor.feature, here[(here.indexOf(chosen) + 1) % here.length]);
});

test('off at one word it turns the answer, as no neuron does; undo is the list without it', async () => {
  const { answer, here, vocabulary, model, own, scores } = await known();
  const page = await found();
  const chosen = Number(page.root.querySelector('#feature-card')?.getAttribute('data-feature'));
  const before = answer([]);
  const after = answer([{ feature: chosen, scale: 0 }]);
  const first = (/** @type {Float32Array} */ p) => p.indexOf(Math.max(...p));
  assert.equal(vocabulary[first(before)], 'dog');
  assert.equal(vocabulary[first(after)], 'creek');
  await page.click('.feature-try [role=switch]');
  const change = { what: 'feature', kind: 'encoder', layer: 1, part: 'out', seed: 0, feature: chosen, row: IT, to: 0 };
  assert.deepEqual(page.state().interventions, [change]);
  assert.equal(page.root.querySelector('.feature-try [role=switch]')?.getAttribute('aria-checked'), 'false');
  assert.deepEqual(probabilitiesIn(page), [...after], 'the pass has the change');
  const { derived } = page.result();
  const curve = derived.get(`@feature-curve/${NAME}/${chosen}/${IT}`);
  for (const [i, factor] of [...curve.factors].entries()) {
    if (i % 5) continue;
    const own = answer([{ feature: chosen, scale: factor }]);
    for (const { id, shares } of curve.of) assert.equal(shares[i], own[id], `× ${factor}`);
  }
  const strip = derived.get(`@feature-strip/${NAME}/${IT}`);
  assert.equal(strip.neurons.length, 288);
  assert.deepEqual(strip.features.map((/** @type {any} */ { index }) => index).sort(), [...here].sort());
  for (const { index, left, id } of strip.features) {
    const p = answer([{ feature: index, scale: 0 }]);
    assert.deepEqual([left, id], [p[first(before)], first(p)], `feature ${index}`);
  }
  const [{ layer, index, left }] = strip.neurons.slice(130);
  const patches = [{ name: `encoder.layers.${layer}.ffn.activation`, index: [0, IT, index], value: 0 }];
  const { data } = gf.softmax(model.forward({ ids: own, patches }).logits);
  assert.equal(left, data[IT * vocabulary.length + first(before)]);
  assert.equal(page.all('#feature-strip-title')[0], 'No neuron turns this answer. One feature does.');
  const { arcs } = derived.get(`@feature-moved/${NAME}/${IT}`);
  assert.deepEqual(
    arcs.map((/** @type {any} */ { key, part }) => [TEXT.split(' ')[key], part]),
    [
      ['creek', 'selected'],
      ['dog', 'before'],
    ],
  );
  assert.match(
    page.root.querySelector('.map-cells')?.getAttribute('aria-description') ?? '',
    /pronoun for animal off at it/,
  );
  assert.match(scores[chosen].label, /animal/);

  await page.type('.try-feature', '0.5');
  assert.deepEqual(page.state().interventions, [{ ...change, to: 0.5 }]);
  await page.type('.try-feature', '1');
  assert.deepEqual(page.state().interventions, [], 'as computed: no change');
});

test('another sentence gives one feature or all', async () => {
  const { answer, made, vocabulary, model, own } = await known();
  const page = await found();
  const deep = own.with(11, vocabulary.indexOf('deep'));
  assert.deepEqual(page.all('.feature-others button'), ['this feature', 'all features']);
  await page.click('.feature-others button:last-child');
  const change = { what: 'feature', kind: 'encoder', layer: 1, part: 'out', seed: 0, feature: null, row: IT, to: deep };
  assert.deepEqual(page.state().interventions, [change]);
  model.forward({ ids: deep, capture: true });
  const { data } = model.tensor(AT);
  const other = made.encode({ data: data.slice(IT * made.width, (IT + 1) * made.width), shape: [1, made.width] }).data;
  const edits = [...other].map((set, feature) => ({ feature, set }));
  const wanted = answer(/** @type {any} */ (edits));
  assert.deepEqual(probabilitiesIn(page), [...wanted]);
  assert.equal(vocabulary[wanted.indexOf(Math.max(...wanted))], 'creek');
});

test('a link has the changes; they wait for their dictionary, which is found again by its seed', async () => {
  const { modelInfo } = await open(one('map'), 'model=creek');
  const opening = openingState('creek', modelInfo);
  const change = { what: 'feature', kind: 'encoder', layer: 1, part: 'out', seed: 0, feature: 3, row: IT, to: 0 };
  const state = { ...opening, text: TEXT, interventions: [/** @type {any} */ (change)], found: NAME };
  const read = readLink(writeLink({ ...state, face: 'features' }, opening), opening, modelInfo);
  assert.deepEqual(read.refused, []);
  assert.deepEqual([read.state.interventions, read.state.found, read.state.face], [[change], NAME, 'features']);
  assert.deepEqual(read.state.ready, []);

  const link = `model=creek&text=${encodeURIComponent(TEXT)}&changes=${encodeURIComponent(JSON.stringify([change]))}`;
  const page = await open(one('wait'), link);
  assert.deepEqual(page.state().ready, [NAME], 'trained again, for the change alone');
  await page.show();
  assert.deepEqual(page.needs(), []);
  const { base, interventions } = page.session.plan();
  assert.deepEqual(interventions, [change]);
  assert(base, 'from now on it is made');
});

test('the sentence is tinted by the chosen feature: live with the text, and not where it is off', async () => {
  const { encoderTokens } = await import('../../../../web/explore/features/tokens.js');
  const page = await open(
    {
      ...face,
      render: (/** @type {any} */ context, /** @type {any} */ tools) =>
        html`${encoderTokens.render({ ...context, local: { from: -1, at: -1 } }, tools)}${face.render(context, tools)}`,
    },
    `${LINK}&found=${NAME}`,
  );
  await page.change({ ready: [NAME] });
  /** @param {number} [off] a row where it is */
  function shows(off) {
    const feature = Number(page.root.querySelector('#feature-card')?.getAttribute('data-feature'));
    const { values, size } = page.result().derived.get(`@features/${NAME}`);
    const tokens = /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('.token')]);
    const own = tokens.map((_, row) => (row === off ? 0 : values[row * size + feature]));
    const most = Math.max(...own) || 1;
    assert.deepEqual(
      tokens.map(({ dataset, style }) => [dataset.fires, style.getPropertyValue('--fires')]),
      own.map((value) => [value > 0 ? 'above' : '', `${Math.round((30 * value) / most)}%`]),
    );
    return own;
  }
  assert(shows()[IT] > 0);
  await page.change({ text: 'the cat did not eat the cake because it was hungry .' });
  assert(shows()[IT] > 0, 'of the new text');
  await page.change({ text: TEXT });
  await page.click('.feature-try [role=switch]');
  shows(IT);
  await page.change({ found: '' });
  assert.equal(page.root.querySelector('.token[data-fires=above]'), null, 'gone with the card');
});

test('the name of each column begins at its middle', async () => {
  const page = await found();
  const cells = /** @type {HTMLElement} */ (page.root.querySelector('.feature-cells'));
  const count = Number(cells.style.getPropertyValue('--columns'));
  const names = /** @type {HTMLElement[]} */ ([...cells.querySelectorAll('.map-columns bdi')]);
  assert(count >= 10 && names.length > 1, `${count} ${names.length}`);
  const columns = [...cells.querySelectorAll('.map-columns [data-feature]')];
  assert.equal(columns.length, names.length, 'other views light them still');
  for (const { style } of names) assert.equal(Number(style.getPropertyValue('--column')) % 1, 0.5);
});

test('“Does it hold?”: counted over all sentences of its kind, one pass with and one without for each', async () => {
  const { made, vocabulary, model, own } = await known();
  const page = await found();
  assert.equal(page.root.querySelector('#feature-hold'), null, 'not before a change');
  await page.click('.feature-try [role=switch]');
  const feature = page.state().cursor.feature;
  const [DOG, CREEK, TIRED] = [1, 7, 11];
  const counts = { sentences: 0, active: 0, led: 0, turned: 0 };
  for (const animal of NOUNS.animal)
    for (const water of NOUNS.water)
      for (const adjective of ADJECTIVES.animal) {
        const ids = [...own];
        [ids[DOG], ids[CREEK], ids[TIRED]] = [animal, water, adjective].map((word) => vocabulary.indexOf(word));
        if (ids.join() === own.join()) continue;
        counts.sentences++;
        const answer = (/** @type {any[]} */ patches) => {
          const { data, shape } = model.forward({ ids, capture: true, patches }).logits;
          return [DOG, CREEK].map((at) => data[IT * shape[2] + ids[at]]);
        };
        const before = answer([]);
        if (!made.encode(model.tensor(AT)).data[IT * made.size + feature]) continue;
        counts.active++;
        const after = answer([{ of: made, feature, row: IT, set: 0 }]);
        counts.led += Number(before[0] > before[1]);
        counts.turned += Number(before[0] > before[1] && after[1] > after[0]);
      }
  const { sentences, active, led, turned } = page.result().derived.get(`@features-hold/${NAME}/${feature}/${IT}`);
  assert.deepEqual({ sentences, active, led, turned }, counts);
  assert(counts.active > 100 && counts.turned > counts.led / 2, JSON.stringify(counts));
  const said = page.all('#feature-hold li');
  assert.equal(said[1], `it is active in ${active} of ${sentences}`);
  assert.equal(said[2], `the thing overtakes the animal in ${turned} of ${led}`);
  await page.click('.hold-sentence');
  const words = page.state().text.split(' ');
  assert.notEqual(words[TIRED], 'tired');
  assert.deepEqual(words.with(TIRED, 'tired'), TEXT.split(' '), 'one word differs');
});

test('sentences of a kind: each once, the last word changes first; of very many some all over them', () => {
  const classes = (/** @type {number} */ size) => ({
    classOf: new Map(Array.from({ length: 3 * size }, (_, id) => [id, `${Math.floor(id / size)}`])),
    members: new Map(['0', '1', '2'].map((kind, i) => [kind, Array.from({ length: size }, (_, k) => i * size + k)])),
  });
  assert.deepEqual(sentencesLike([0, 99, 3], classes(2)), [
    [0, 99, 2],
    [1, 99, 3],
    [1, 99, 2],
  ]);
  const many = sentencesLike([0, 10, 20], classes(10));
  assert.equal(new Set(many.map(String)).size, 150);
  assert(
    many.some(([first]) => first > 8),
    'not only the first',
  );
  assert.deepEqual(sentencesLike([99], classes(2)), [], 'no word has a class');
});

test('where rules give the names, an example fits that is one of the tokens that a name lists', async () => {
  const name = 'decoder.0.out.0';
  const page = await open(
    face,
    `model=continue&attention=decoder&head=1.1&part=norm&sublayer=2&face=features&found=${name}`,
  );
  await page.change({ ready: [name] });
  const { scores } = page.result().derived.get(`@features/${name}`);
  const feature = scores.findIndex((/** @type {any} */ each) => each?.label.startsWith('one of ') && each.f1 > 0.7);
  assert(feature >= 0, 'there is one');
  await page.change({ cursor: { ...page.state().cursor, feature } });
  const { examples } = page.result().derived.get(`@feature/${name}/${feature}/${page.state().cursor.row}`);
  const listed = scores[feature].label.slice('one of '.length).split('\u2009');
  const words = page.modelInfo.vocabulary;
  const fits = examples.map((/** @type {any} */ { ids, token }) => listed.includes(words[ids[token]]));
  assert(fits.includes(true));
  assert.deepEqual(
    examples.map((/** @type {any} */ { isRight }) => isRight),
    fits,
  );
});
