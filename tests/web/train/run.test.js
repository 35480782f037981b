// A run without a page: the engine's bits, moments, other batch sizes, failures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { IGNORE, liveTasks, reverse } from 'glassformer/tasks';
import { MODEL as CONFIG_FIELDS } from '../../../dist/generated/settings.js';
import { guided } from '../../../web/lessons/guided.js';
import { readAddress, writeAddress } from '../../../web/train/schema.js';
import { MOST_INSIDE, codeOf } from '../../../web/train/keep/code.js';
import { hashOf, lookAt } from '../../../web/train/run/look.js';
import { TASKS, recipeOf, rowReader, setText } from '../../../web/train/run/recipes.js';
import { openRun, packRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { FIELDS, MODEL, problemOf, writeValue } from '../../../web/train/settings/settings.js';
import { TEXTS } from '../../../web/train/tasks.js';
import { createTimeline } from '../../../web/train/run/timeline.js';

const GPL = readFileSync(new URL('../../tasks/gpl.txt', import.meta.url), 'utf8');
/** By words, one layer, three steps: trained when only the last tenth of a text was held out. */
const TEXT_OF_BEFORE = '76247b4e486d4067d50cc85a5dd95a858eb51c1a1c10eaf3aaac1cd6f9fef06d';

// as tests/js/trainer.test.js holds it
const TRAINED_200 = '3ecec4c146810f8f9cac74ed4abb78b1dedc50f9f2cda408984a730f6d547740';

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

test('200 steps of the reference recipe, a return and a second way there: one hash', async () => {
  const run = await createRun(gf, 'reverse', recipeOf('reverse'));
  await run.go(200);
  assert.equal(await hashOf(run.model), TRAINED_200);
  const [{ sequences }] = run.checks().slice(-1);
  assert(sequences >= 0.99, String(sequences));
  assert.equal((await lookAt(run, 0)).hash, TRAINED_200);
  const { loss, rate, norm } = run.curve(0);
  assert.deepEqual([loss.length, rate.length, norm.length], [200, 200, 200]);
  await run.go(60);
  assert.equal(run.step, 60);
  assert.notEqual(await hashOf(run.model), TRAINED_200);
  await run.go(63); // between two moments
  assert.equal(run.step, 63);
  await run.go(200);
  assert.equal(await hashOf(run.model), TRAINED_200);
  assert.deepEqual(run.curve(0).loss, loss);
  await run.rebuild(await load({ variant: 'simd' }));
  assert.equal(await hashOf(run.model), TRAINED_200, 'in another engine too');
});

test('moments are bounded: every second one goes, and the first stays', () => {
  const timeline = createTimeline({ most: 8 });
  const state = (/** @type {number} */ steps) => {
    const block = new Float32Array(4);
    return { weights: block, moment1: block, moment2: block, steps };
  };
  for (let step = 0; step <= 200; step++) if (timeline.takes(step)) timeline.keep(state(step));
  assert.equal(timeline.interval(), 40);
  assert.deepEqual(timeline.steps(), [0, 40, 80, 120, 160, 200]);
  assert.equal(timeline.before(119).steps, 80);
  assert.equal(timeline.bytes(), 6 * 48);
  const small = createTimeline({ mostBytes: 48 * 3 });
  for (let step = 0; step <= 20; step++) if (small.takes(step)) small.keep(state(step));
  assert.deepEqual(small.steps(), [0, 10, 20]);
});

test('another batch size takes the same rows one after the other', () => {
  const rows = (/** @type {number} */ size, /** @type {number} */ count) => {
    const read = rowReader(TASKS['reverse-variable'], 3);
    const batches = Array.from({ length: count / size }, (_, step) => read(step * size, size));
    for (const { ids, padding, labels } of batches)
      assert.deepEqual([ids.shape, padding?.shape, labels.shape], Array(3).fill([size, 11]));
    return ['ids', 'padding', 'labels'].map((name) => batches.flatMap((batch) => [...batch[name].data]));
  };
  const whole = rows(64, 192);
  for (const size of [32, 48, 96]) assert.deepEqual(rows(size, 192), whole, String(size));
});

// tests/tasks/learned.test.js trains each of these to its end, on three seeds.
test('each live task is trained as its own recipe says, and the page states no fewer steps than it takes', async () => {
  for (const { name, config, trainer, about, batch, initial } of liveTasks.filter((task) => !TASKS[task.name].ffn)) {
    const { within, measure } = TEXTS[name];
    assert(Number(within.replace(/\D/g, '')) >= about.steps && measure === about.measure, name);
    const run = await createRun(gf, name, { ...recipeOf(name), seed: 2 });
    const own = gf.createModel({ ...config, seed: 2 });
    if (initial) own.loadWeights(initial(2), { strict: false });
    const taught = own.trainer({ ...trainer, seed: 2 });
    while (taught.steps < 3) taught.step(batch(taught.steps, 2));
    await run.go(3);
    assert.deepEqual(run.trainer.settings, taught.settings, name);
    assert.equal(await hashOf(run.model), await hashOf(own), name);
    run.free();
    own.free();
  }
});

test('the code of a run of an own text prints its hash: with the text inside, or beside it', async () => {
  const folder = mkdtempSync(fileURLToPath(new URL('../../../dist/own-text-', import.meta.url))); // finds the package
  try {
    const song = 'The creek was “cold” \\ and the dog\n was tired, too. The boy was kind.\n\n';
    for (const [level, text, changes] of /** @type {['words' | 'characters', string, object][]} */ ([
      ['words', `${song.repeat(60)}end`, { seed: 2 }],
      ['characters', `${song.repeat(300)}end`, { batch: 8 }],
      ['words', GPL.slice(0, 19_000), {}],
      ['words', GPL.slice(0, 19_000), { heldOut: 'end' }],
    ])) {
      setText(text, level);
      const recipe = recipeOf('text');
      const settings = { ...recipe, ...changes, layers: 1 };
      const run = await createRun(gf, 'text', settings);
      await run.go(3);
      const hash = await hashOf(run.model);
      run.free();
      const code = codeOf({ task: 'text', settings, recipe, step: 3, hash, source: { text, level } });
      assert.equal(code.includes('text.txt'), text.length > MOST_INSIDE);
      if (text.length > MOST_INSIDE) writeFileSync(join(folder, 'text.txt'), text);
      writeFileSync(join(folder, `${level}.mjs`), code);
      const printed = execFileSync(process.execPath, [`${level}.mjs`], { cwd: folder, encoding: 'utf8' });
      assert.equal(printed.trim(), hash, code.slice(-2000));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('links and files of before hold out the last tenth of a text; new ones phrases that occur once', async () => {
  setText(GPL, 'words');
  const recipes = new Map([['text', recipeOf('text')]]);
  const { settings } = readAddress('#/train?task=text&layers=1', recipes);
  const run = await createRun(gf, 'text', settings);
  await run.go(3);
  assert.equal(await hashOf(run.model), TEXT_OF_BEFORE);
  const { tensors, metadata } = readSafetensors(packRun(run));
  const { heldOut, ...recipe } = JSON.parse(/** @type {string} */ (metadata.get('glassformer.recipe')));
  assert.equal(heldOut, 'end');
  const before = writeSafetensors(tensors, {
    metadata: { ...Object.fromEntries(metadata), 'glassformer.recipe': JSON.stringify(recipe) },
  });
  const opened = await openRun(gf, before);
  assert.deepEqual(opened.settings, settings);
  await opened.go(0);
  await opened.go(3);
  assert.equal(await hashOf(opened.model), TEXT_OF_BEFORE);

  const own = await createRun(gf, 'text', { ...recipeOf('text'), layers: 1 });
  await own.go(3);
  assert.notEqual(await hashOf(own.model), TEXT_OF_BEFORE);
  assert.equal(own.task.split?.repeated, 0);
  const link = writeAddress({ task: 'text', settings: own.settings, step: 3 }, recipeOf('text'));
  assert.equal(link, '#/train?task=text&layers=1&heldOut=unseen&step=3');
  assert.deepEqual(readAddress(link, recipes).settings, own.settings);
  for (const each of [run, opened, own]) each.free();
});

test('the code of a run prints its hash', async () => {
  for (const [task, changes] of /** @type {[string, object][]} */ ([
    ['reverse', { seed: 3, norm: 'pre', schedule: 'cosine' }],
    ['reverse-variable', { batch: 48, positions: 'learned', dropout: 0.1, clip: 0.5 }],
    ['copy', { attentionBias: false, head: 'linear', headBias: false, embeddingNorm: true }],
    ['order', { finalNorm: true, normAffine: false, activation: 'gelu-tanh' }],
    ['sort', { norm: 'pre', normKind: 'rms', positions: 'rotary', ffn: 'gated', activation: 'silu', keyValueHeads: 1 }],
    ['copy', { ffnBias: false, attentionBias: false }],
  ])) {
    const recipe = recipeOf(task);
    const settings = { ...recipe, ...changes };
    const run = await createRun(gf, task, settings);
    await run.go(20);
    const hash = await hashOf(run.model);
    const code = codeOf({ task, settings, recipe, step: 20, hash });
    assert(code.includes(`// ${hash}`));
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    assert.equal(printed.trim(), hash, code);
  }
});

/** The settings of a model that the page does not offer, and why. */
const FIXED = {
  task: [
    'kind',
    'vocabulary',
    'targetVocabulary',
    'outputVocabulary',
    'types',
    'maxLength',
    'decoderLayers',
    'tiedEmbeddings',
  ],
  numeric: ['epsilon', 'ropeTheta', 'initializerRange'],
  numbers: ['inputWidth', 'outputWidth'],
  // of top-k, which the menu of activations leaves out
  topK: ['active'],
  // of others' files
  checkpoints: [
    ...['headTransform', 'window', 'globalLayers', 'globalLayersAbove', 'weights', 'positionsFrom', 'headWidth'],
    ...['qkNorm', 'attentionOutBias', 'ropeScaling', 'ropeFactor', 'ropeLowFrequency', 'ropeHighFrequency'],
    ...['ropeOriginalLength', 'ropeWidth', 'parallel', 'relativeBuckets', 'relativeDistance', 'headScale'],
    'headPooler',
  ],
};

test('every setting of a model that fits the tasks is offered, with its name and choices', () => {
  const offered = FIELDS.filter(({ name }) => MODEL.includes(name)).map(({ name }) => name);
  const all = CONFIG_FIELDS.map(({ name }) => name);
  assert.deepEqual([...offered, ...Object.values(FIXED).flat()].sort(), all.sort());
  for (const { name, choices } of CONFIG_FIELDS) {
    const field = FIELDS.find((each) => each.name === name);
    // A task asks for logits; top-k needs one number more.
    const left = { head: 'none', activation: 'top-k' }[name];
    const given = choices.filter((each) => each !== left);
    assert.deepEqual(field?.choices.map(([each]) => each).sort() ?? [...given].sort(), [...given].sort(), name);
  }
});

test('biases, output head and norms of the embedding and after the stack: the weights then', async () => {
  /** @param {object} changes */
  const names = async (changes) => {
    const run = await createRun(gf, 'copy', { ...recipeOf('copy'), ...changes });
    const all = [...run.model.weights().keys()];
    await run.go(2);
    assert.equal(run.failure, null);
    run.free();
    return all;
  };
  const recipe = await names({});
  const without = async (/** @type {object} */ changes) => {
    const all = await names(changes);
    return [recipe.filter((name) => !all.includes(name)), all.filter((name) => !recipe.includes(name))];
  };
  const layer = 'encoder.layers.0.';
  const biases = [`${layer}self_attn.in_proj_bias`, `${layer}self_attn.out_proj.bias`];
  assert.deepEqual(await without({ attentionBias: false }), [biases, []]);
  assert.deepEqual(await without({ head: 'linear' }), [[], ['generator.weight']]);
  assert.deepEqual(await without({ headBias: false }), [['generator.bias'], []]);
  assert.deepEqual(await without({ embeddingNorm: true }), [[], ['emb_ln.weight', 'emb_ln.bias']]);
  const after = ['encoder.norm.weight', 'encoder.norm.bias'];
  assert.deepEqual(await without({ finalNorm: true }), [[], after]);
  assert.deepEqual(await without({ norm: 'pre' }), [[], after], 'which has it in any case');
  const norms = ['norm1', 'norm2'].flatMap((name) => [`${layer}${name}.weight`, `${layer}${name}.bias`]);
  assert.deepEqual(await without({ normAffine: false }), [norms, []]);
});

test('a step that is not finite is not taken, and says where it began', async () => {
  const settings = { ...recipeOf('reverse'), norm: 'none', learningRate: 1000, warmup: 0, optimizer: 'sgd', clip: 0 };
  const run = await createRun(gf, 'reverse', settings);
  await run.go(50);
  assert(run.failure);
  assert.equal(run.failure.step, run.step + 1);
  assert(run.failure.tensor.length > 0);
  const { data } = [...run.model.weights().values()][0];
  assert(data.every(Number.isFinite));
  await run.go(0);
  assert.equal(run.failure, null);
});

test('without its causal mask a decoder sees the words behind', async () => {
  const weights = await Promise.all(
    [true, false].map(async (causal) => {
      const run = await createRun(gf, 'story', { ...recipeOf('story'), causal, batch: 8 });
      assert.equal(run.model.config.causal, causal);
      await run.go(1);
      const { maps } = await lookAt(run, 0);
      const [{ data, size }] = maps;
      run.free();
      return data[size - 1]; // of the first row on the last key
    }),
  );
  assert.equal(weights[0], 0);
  assert(weights[1] > 0, String(weights[1]));
});

test('a setting that cannot be is refused by name and leaves no model behind', async () => {
  await assert.rejects(createRun(gf, 'reverse', { ...recipeOf('reverse'), heads: 3 }), { parameter: 'heads' });
  await assert.rejects(createRun(gf, 'reverse', { ...recipeOf('reverse'), learningRate: -1 }), {
    parameter: 'learningRate',
  });
});

test('the file of a run says only its settings: nothing else gets into the code that the page shows', async () => {
  const file = async (/** @type {string} */ task, /** @type {(said: any, kept: any) => void} */ change) => {
    const run = await createRun(gf, task, recipeOf(task));
    const { tensors, metadata } = readSafetensors(packRun(run));
    run.free();
    const [recipe, kept] = ['glassformer.recipe', 'glassformer-train'].map((key) =>
      JSON.parse(String(metadata.get(key))),
    );
    change(recipe, kept);
    metadata.set('glassformer.recipe', JSON.stringify(recipe)).set('glassformer-train', JSON.stringify(kept));
    return writeSafetensors(tensors, { metadata });
  };
  for (const [task, change, message] of /** @type {[string, (said: any, kept: any) => void, RegExp][]} */ ([
    ['xor', (said) => (said.batch = '0; process.exit()'), /batch/],
    ['order', (said) => (said['seed: 1 }); process.exit(); ({ a'] = 1), /process/],
    [
      'order',
      (said) => Object.defineProperty(said, '__proto__', { value: { batch: 1 }, enumerable: true }),
      /__proto__/,
    ],
    ['order', (said) => (said.finalNorm = '0; process.exit()'), /Norm after the stack/],
    ['order', (said) => (said.changes = { length: 1e9 }), /changes/],
    ['order', (said) => (said.changes = [5]), /changes/],
    ['order', (said) => (said.changes = [[0, { batch: '0; process.exit()' }]]), /changes/],
    ['order', (said) => (said.constructor = 1), /constructor/],
    ['order', (_, kept) => (kept.loss = { length: 1e9 }), /curves/],
    ['order', (_, kept) => (kept.layers = { length: 1e9 }), /curves/],
    ['order', (_, kept) => (kept.checks = { length: 1e9 }), /curves/],
    ['order', (_, kept) => (kept.checks = [null]), /curves/],
    ['order', (_, kept) => (kept.source = { text: 'a '.repeat(1000), level: "' + process.exit() + '" }), /level/],
  ])) {
    const bytes = await file(task, change);
    await assert.rejects(openRun(gf, bytes), message);
  }
  const opened = await openRun(gf, await file('order', () => {}));
  assert.deepEqual(opened.settings, recipeOf('order'));
  opened.free();
});

test('a task whose score leaves out labels that its loss counts says so', () => {
  const partial = Object.values(TASKS).filter(({ heldOut, ffn }) => {
    if (ffn) return false;
    const [{ batch, questions }] = heldOut();
    return questions.length < batch.labels.data.filter((target) => target !== IGNORE).length;
  });
  assert.deepEqual(
    partial.map(({ name }) => name),
    ['story'],
  );
  assert.match(TEXTS.story.goal, /loss counts every word.* right .* determines/);
  assert.equal(TEXTS.story.unit, 'determined words');
});

test('every task has its words, a recipe of possible values, and an address that leads back', () => {
  assert.deepEqual(Object.keys(TEXTS), Object.keys(TASKS));
  const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));
  for (const [task, recipe] of recipes) {
    const isFfn = TEXTS[task].reached !== undefined; // which has no rows, heads or layers
    for (const field of FIELDS) {
      assert(isFfn || field.name === 'heldOut' || field.name in recipe, `${task} ${field.name}`);
      if (!(field.name in recipe)) continue;
      assert.equal(problemOf(field, recipe[field.name], recipe), '', `${task} ${field.name}`);
    }
    const rows = isFfn ? { d_ff: 3 } : { positions: 'none', residual: false };
    const settings = { ...recipe, seed: 7, ...rows, learningRate: 0.002 };
    const lesson = task === 'reverse' ? '#/train?guide=3' : '';
    const run = { task, settings, changes: [], step: 125, lesson };
    const read = { ...run, comparison: null, refused: [] };
    assert.deepEqual(readAddress(writeAddress(run, recipe), recipes), read);
    const rest = task === 'text' ? '&heldOut=unseen' : '';
    const plain = task === 'reverse' ? '#/train' : `#/train?task=${task}${rest}`;
    assert.equal(writeAddress({ task, settings: recipe, step: 0 }, recipe), plain);
  }
  assert.equal(recipes.get('reverse')?.learningRate, reverse.trainer.learningRate);
  const read = readAddress('#/train?task=sort&heads=3&seed=x&step=-1&colour=red&norm=pre', recipes);
  assert.deepEqual(read.refused, ['step', 'colour', 'heads', 'seed']);
  assert.deepEqual(read.settings, { ...recipes.get('sort'), norm: 'pre' });
  assert.equal(readAddress('#/train', recipes).task, 'reverse');
  const started = readAddress('#/train?task=copy&challenge=1', recipes);
  assert.deepEqual([started.lesson, started.refused], ['#/train?task=copy&challenge=1', []]);
  const other = readAddress('#/train?task=xor&heads=2&at=5:dropout=.1&d_ff=4', recipes);
  assert.deepEqual([other.refused, other.settings], [['heads', 'at'], { ...recipes.get('xor'), d_ff: 4 }]);
  const guide = (/** @type {number} */ page) => readAddress(`#/train?guide=${page}`, recipes).lesson;
  const links = guided.map(({ link }) => link);
  assert.deepEqual([guide(1), guide(guided.length), guide(guided.length + 1)], [links[0], links.at(-1), '']);
  assert.deepEqual(readAddress('#/train?guide=99', recipes).refused, ['guide']);
  assert.equal(readAddress('#/train?task=sort&guide=2', recipes).lesson, '', 'the guided run is of reversal');
  assert.equal(readAddress('#/train?task=none', recipes).refused[0], 'task');
  assert.equal(writeValue(true), '1');
});
