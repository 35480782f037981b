// Tasks and models together: batches by their step, scores of a model in one call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'glassformer';
import {
  creek,
  examine,
  headScores,
  induction,
  liveTasks,
  predictor,
  reverse,
  story,
  tasks,
  translate,
  xor,
} from '../../src/tasks/index.js';
import { hashOf, take } from './helpers.js';

const gf = await load({ variant: 'simd' });
const fresh = (task, seed = 2) => gf.createModel({ ...task.config, seed });

/** Each time that they begin they draw 20,000 sentences. */
const SLOW = ['creek', 'translate'];

for (const [name, task] of Object.entries(tasks)) {
  test(`${name}: batch(step, seed) is the batch of that step, in any order`, () => {
    const lists = [take(task.batches(0), 6), take(task.batches(1), 6)].map((list) => list.map((one) => hashOf([one])));
    assert.equal(hashOf([task.batch()]), lists[0][0]);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(1)), { minLength: 1, maxLength: 8 }), (asked) => {
        for (const [step, seed] of asked) {
          const batch = task.batch(step, seed);
          assert.equal(hashOf([batch]), lists[seed][step]);
          batch.labels.data.fill(0); // each caller gets its own copy
        }
      }),
      { numRuns: SLOW.includes(name) ? 1 : 20, seed: 4 },
    );
    for (const from of SLOW.includes(name) ? [4] : [0, 1, 4]) {
      assert.deepEqual(
        take(task.batches(1, { from }), 6 - from).map((one) => hashOf([one])),
        lists[1].slice(from),
      );
    }
    assert.throws(() => task.batches(1, { from: -1 }), { code: 'range', parameter: 'from', value: -1 });
    assert.throws(() => task.batches(1, { form: 1 }), { code: 'unknown', parameter: 'form' });
    for (const [step, seed, parameter] of [
      [-1, 0, 'step'],
      [0.5, 0, 'step'],
      [0, -1, 'seed'],
      ['1', 0, 'step'],
    ]) {
      assert.throws(() => task.batch(step, seed), { parameter });
    }
  });
}

test('training by steps is training by batches, also when it goes on from a state', () => {
  const models = [fresh(reverse), fresh(reverse), fresh(reverse)];
  const [first, second, third] = models.map((model) => model.trainer(reverse.trainer));
  const batches = reverse.batches(0);
  for (let i = 0; i < 6; i++) first.step(batches.next().value);
  while (second.steps < 3) second.step(reverse.batch(second.steps));
  third.resume(second.state());
  while (third.steps < 6) third.step(reverse.batch(third.steps));
  assert.deepEqual(third.snapshot(), first.snapshot());
  for (const model of models) model.free();
});

test('a predictor gives what forward gives: logits, the attention of each layer, and it with a head off', async () => {
  for (const [task, part] of [
    [reverse, 'encoder.layers.0.self_attn'],
    [story, 'decoder.layers.1.self_attn'],
    [translate, 'decoder.layers.1.multihead_attn'],
  ]) {
    const model = fresh(task);
    const predict = predictor(model);
    const batch = task.batch(0);
    const { labels, ...inputs } = batch;
    assert.ok(labels);
    const plain = model.forward({ ...inputs, capture: true });
    const maps = model.tensor(`${part}.weights`);
    const asked = await predict(batch, { maps: true });
    assert.deepEqual(asked.logits, plain.logits);
    assert.equal(asked.maps.length, task.config.decoderLayers ?? task.config.layers);
    assert.deepEqual(asked.maps.at(-1), maps);
    const brief = await predict(batch, { maps: false });
    assert.deepEqual([brief.logits, brief.maps], [plain.logits, undefined]);

    const layer = asked.maps.length - 1;
    const patches = [{ name: `${part}.head_outputs`, index: [null, 0, null, null], value: 0 }];
    const off = model.forward({ ...inputs, capture: true, patches });
    assert.deepEqual((await predict(batch, { maps: false, off: { layer, head: 0 } })).logits, off.logits);
    assert.notDeepEqual(off.logits, plain.logits);

    const far = { forward: async (o) => model.forward(o), tensors: async () => model.tensors() };
    const later = predictor({ ...far, tensor: async (name) => model.tensor(name) });
    assert.deepEqual(await later(batch, { maps: true }), asked);
    model.free();
  }
});

test('scores take a model as they take its predictor', async () => {
  for (const task of [reverse, xor, induction]) {
    const model = fresh(task);
    const score = await task.score(model);
    assert.deepEqual(score, await task.score(predictor(model), task.heldOut(0)));
    assert.deepEqual(score, await task.score(model, task.heldOut()));
    model.free();
  }
  const model = fresh(reverse);
  const probes = reverse.heldOut(3, { count: 64 });
  assert.deepEqual(await examine(model, probes), await examine(predictor(model), probes));
  model.free();

  const untrained = fresh(creek);
  const heldOut = creek.heldOut(1, { limit: 20 });
  assert.deepEqual(
    await creek.score(untrained, heldOut, { ablate: true }),
    await creek.score(predictor(untrained), heldOut, { ablate: true }),
  );
  assert.equal(
    await creek.pseudoLogLikelihood(untrained, creek.sentences.cat),
    await creek.pseudoLogLikelihood(predictor(untrained), creek.sentences.cat),
  );
  untrained.free();

  const translator = fresh(translate);
  const source = translate.sentences[0].source;
  assert.deepEqual(
    await translate.translate(translator, [source]),
    await translate.translate(predictor(translator), [source]),
  );
  translator.free();
});

test('what is no model is refused by name', async () => {
  for (const value of [undefined, null, 3, {}, { forward: 1 }]) {
    assert.throws(() => predictor(/** @type {any} */ (value)), { code: 'type', parameter: 'model' });
    await assert.rejects(async () => reverse.score(/** @type {any} */ (value)), { code: 'type', parameter: 'model' });
  }
});

test('what a function predicts must be a prediction', async () => {
  const [probe] = reverse.heldOut(1, { count: 2 });
  const odd = [
    undefined,
    null,
    5,
    'x',
    { maps: 5 },
    { maps: [null] },
    { maps: [{}] },
    { maps: [{ shape: {}, data: [] }] },
  ];
  for (const prediction of odd) {
    const refused = { name: 'GlassformerError', message: /^predict\(\.\.\.\)/ };
    await assert.rejects(headScores(/** @type {any} */ (() => prediction), [probe]), refused);
    await assert.rejects(examine(/** @type {any} */ (() => prediction), [probe]), refused);
  }
});

test('a page shows rows in words, with right and wrong, and measures heads by maps at hand', async () => {
  const model = fresh(reverse);
  const [probe] = reverse.heldOut(0, { count: 3 });
  const prediction = await predictor(model)(probe.batch, { maps: true });
  const { words, labels, predicted, right } = reverse.show(probe.batch, 2, prediction);
  assert.deepEqual(labels, [...words].reverse());
  assert.deepEqual(
    right,
    labels.map((word, at) => word === predicted[at]),
  );
  assert.deepEqual(reverse.show(probe.batch, 2), { words, labels });
  const measured = await headScores(() => prediction, [probe]);
  assert.deepEqual(measured, await reverse.headScore(model, [probe]));
  assert.deepEqual(measured.heads, (await reverse.score(model, [probe])).heads);
  assert.deepEqual(await reverse.headScore(model), await headScores(model, reverse.heldOut(0, { count: 64 })));
  model.free();

  const variable = tasks['reverse-variable'].show(tasks['reverse-variable'].batch(0), 0);
  assert.deepEqual([variable.words.at(-1), variable.labels.at(-1)], ['[EOS]', null]);
  assert.deepEqual(variable.labels.slice(0, -1), variable.words.slice(0, -1).reverse());
});

/** Those by which claims are tested; tests/tasks/probing.test.js has them. */
const PROBING = ['reverse-decoder', 'neighbours', 'facts', 'positions', 'next-digit'];

test('every live task says what a page needs', () => {
  assert.deepEqual(
    liveTasks.map(({ name }) => name).sort(),
    Object.keys(tasks)
      .filter((name) => !['creek', 'translate', 'addition-parallel', ...PROBING].includes(name))
      .sort(),
  );
  for (const { name, about, trainer } of liveTasks) {
    for (const text of [about.title, about.goal, about.solved]) assert.ok(text.length > 3 && text.length < 200, name);
    assert.ok(/^[^.]+\.$/.test(about.goal), about.goal);
    assert.ok(about.steps <= trainer.steps, name);
    assert.ok(Object.isFrozen(about));
  }
});

test('what a reader types is a row like those drawn, with its labels and links', async () => {
  for (const task of [...liveTasks, tasks['addition-parallel']].filter(({ ask }) => ask)) {
    for (const probe of task.heldOut(5, { count: 30 }).slice(0, 1)) {
      for (let row = 0; row < 30 && task.name !== 'story'; row++) {
        const { words } = task.show(probe.batch, row);
        const typed = words.filter((word) => !/[[_]/.test(word)).join('');
        const { batch, questions } = task.ask(
          task.name === 'addition' ? typed.replace(/=.*/, '') : typed.replace('=', ''),
        );
        assert.deepEqual(task.show(batch, 0), task.show(probe.batch, row));
        assert.deepEqual(
          questions,
          probe.questions.filter((one) => one.row === row).map((one) => ({ ...one, row: 0 })),
        );
      }
    }
    assert.throws(() => task.ask(''), { code: 'range', parameter: 'text', message: /^text: must be / });
    assert.throws(() => task.ask(/** @type {any} */ (3)), { code: 'type', parameter: 'text', value: 3 });
    assert.throws(() => task.ask('zzzzzzzz'), { code: 'unknown', parameter: 'token' });
  }
  for (const [name, text] of [
    ['reverse', '1234567'],
    ['reverse-variable', '123'],
    ['order', 'ABACDE'],
    ['induction', 'abcabcabcabcabcabcabcabd'],
    ['induction', 'abcdefghijklmnopabcdefgh'],
    ['addition', '123+4'],
    ['addition', '+12'],
  ]) {
    assert.throws(() => tasks[name].ask(text), { code: 'range', parameter: 'text', value: text });
  }
  const { batch, questions } = story.ask('One day a kind king saw a ball. The king wanted to chase it');
  assert.deepEqual(story.show(batch, 0).labels.slice(-3), ['to', 'chase', 'it']);
  assert.deepEqual(
    questions.filter(({ links }) => links.length > 0).map(({ at, links }) => [at, links]),
    [[9, [4]]],
  );
  const model = fresh(reverse);
  assert.equal((await reverse.headScore(model, [reverse.ask('1 2 3 4 5 6 7 8')])).chance, 1 / 8);
  model.free();
});
