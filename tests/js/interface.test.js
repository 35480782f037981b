// One interface: the same calls of every public method, here and in a worker, with the same results to the bit, and the
// same refusals. A method that exists on one side alone, or that no program calls, fails.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load, Vocabulary } from 'glassformer';

const SIDES = { here: await load({ variant: 'simd' }), there: await load({ variant: 'simd', worker: true }) };
after(() => SIDES.there.terminate());

/** Of one side alone, and why. @type {Record<string, string[]>} */
const ALONE = { here: ['model.generateSync'], there: ['engine.terminate', 'model.generateSync'] };

const WRITER = { kind: 'decoder', vocabulary: 20, d_model: 16, heads: 2, layers: 2, head: 'linear', seed: 3 };
const BATCH = { ids: [1, 2, 3], labels: [2, 3, 4] };
const x = { data: Float32Array.from({ length: 24 }, (_, i) => Math.sin(i)), shape: [3, 8] };
const GRAD = 'grad.decoder.layers.0.linear1.weight';
const folder = (/** @type {string} */ name) => new URL(`../checkpoints/${name}/`, import.meta.url).pathname;

/** Every public method, at least once. @type {Record<string, (gf: any) => AsyncGenerator<unknown>>} */
const PROGRAMS = {
  async *operations(gf) {
    const table = { data: x.data, shape: [8, 3] };
    yield gf.tensor(x.data, x.shape);
    yield gf.matmul(x, x, { transposeB: true });
    yield gf.linear(x, x, [1, 2, 3]);
    yield gf.transpose(x);
    yield gf.add(x, 1);
    yield gf.mul(x, x);
    yield gf.argmax(x);
    yield gf.cosine(x, x);
    yield gf.softmax(x);
    yield gf.logSoftmax(x);
    yield gf.klDivergence(x, x);
    yield gf.dot(x, x);
    yield gf.vectorNorm(x);
    yield gf.layerNorm(x);
    yield gf.rmsNorm(x);
    yield gf.activation(x, 'silu');
    yield gf.relu(x);
    yield gf.gelu(x);
    yield gf.embedding([0, 2], table);
    yield gf.positionalEncoding({ d_model: 4, length: 3 });
    yield gf.rotaryTable({ headWidth: 4, length: 3 });
    yield gf.rotary(x, { heads: 2 });
    const { weights } = await gf.attention(x, x, x, { heads: 2, causal: true });
    yield weights;
    yield gf.attentionBackward(x, x, x, x, { heads: 2, weights });
    yield gf.softmaxBackward(x, x);
    yield gf.layerNormBackward(x, x);
    yield gf.rmsNormBackward(x, x);
    yield gf.activationBackward(x, x, 'relu');
    const { logProbabilities } = await gf.crossEntropy(x, [0, 1, 2]);
    yield gf.crossEntropyBackward(logProbabilities, [0, 1, 2]);
    yield gf.optimizerStep([1, 1], [0.5, -0.5], { step: 1, optimizer: 'sgd', learningRate: 1 });
  },
  async *layers(gf) {
    const model = await gf.createModel({
      kind: 'encoder-decoder',
      d_model: 8,
      heads: 2,
      d_ff: 16,
      decoderLayers: 1,
      layers: 1,
    });
    const all = [...(await model.weights())];
    const own = (/** @type {string} */ stack) =>
      new Map(all.filter(([name]) => name.startsWith(stack)).map(([name, of]) => [name.slice(stack.length), of]));
    const [inner, outer] = [own('encoder.layers.0.'), own('decoder.layers.0.')];
    yield gf.encoderLayer(x, { weights: inner, heads: 2 });
    yield gf.decoderLayer(x, { memory: x, weights: outer, heads: 2 });
    const named = (/** @type {string} */ part) =>
      Object.fromEntries(
        [...inner]
          .filter(([name]) => name.startsWith(part))
          .map(([name, of]) => [name.replace(/^self_attn\./, ''), of]),
      );
    yield gf.multiHeadAttention(x, { weights: named('self_attn.'), heads: 2 });
    yield gf.feedForward(x, { weights: named('linear') });
  },
  async *'a model'(gf) {
    const model = await gf.createModel(WRITER);
    yield [model.config, model.seed, model.parameterCount];
    await model.initialize(9);
    yield model.seed;
    yield model.forward({ ids: [1, 2, 3], capture: true });
    yield model.tensors();
    yield model.graph();
    yield model.tensor({ name: 'decoder.layers.0.self_attn.weights', head: 1 });
    yield model.weights();
    yield model.forwardBytes({ ids: [1, 2, 3] });
    yield model.forward({ ids: [1, 2, 3], logits: false });
    yield model.logitsAt(2);
    const twin = await model.clone({ scoreScale: false });
    yield twin.forward({ ids: [1, 2, 3], ablate: [{ layer: 0, head: 1 }] });
    const other = await gf.createModel({ ...WRITER, seed: 4 });
    await other.loadWeights(await model.weights());
    yield other.forward({ ids: [[1, 2], [3, 4]] }); // prettier-ignore
    yield other.embed([[1, 2, 3], [4, 5, 6]], { pooling: 'last', normalize: true }); // prettier-ignore
    yield typeof (await model.view('generator.bias')); // a worker shares no memory
    await twin.free();
    yield twin.forward({ ids: [1] });
  },
  async *traces(gf) {
    const model = await gf.createModel(WRITER);
    const [one, other] = [await model.trace({ ids: [1, 2, 3] }), await model.trace([3, 2, 1], { temperature: 2 })];
    yield [one.logits, one.output, other.logits];
    yield one.tensor({ layer: 0, head: 1 });
    yield one.lens(0);
    yield one.attribution(2);
    yield one.attribution(1, { id: 4, against: 5 });
    const of = ['decoder.embedding', { layer: 0, head: 1 }];
    yield model.gradients([1, 2, 3], { logit: { at: 2, id: 4 }, of });
    yield model.gradients({ ids: [1, 2, 3] }, { labels: [2, 3, 4], of });
    yield model.forward({ ids: [1, 2, 3], patches: [{ at: { layer: 0, row: 1 }, from: other[PLAIN] }] });
    yield one.decided(2, { groups: 2 });
    for await (const { done } of one.decided(2)) yield done;
    yield one.decided(2, { from: other[PLAIN] });
    yield model.trace({ ids: [1, 2, 3], patches: [{ layer: 1, head: 1, value: other[PLAIN] }] });
    await one.free();
    yield one.tensor('logits');
  },
  async *generation(gf) {
    const model = await gf.createModel(WRITER);
    const prompt = { ids: [1, 2, 3], maxTokens: 20, temperature: 1, seed: 5 };
    yield model.generate(prompt);
    yield model.generate({ ...prompt, topP: 0.9 });
    yield model.generate({ ...prompt, ids: [[1, 2], [3]], stop: [[4]] }); // prettier-ignore
    for await (const { id } of model.generate(prompt)) yield id;
  },
  async *'training and files'(gf) {
    const model = await gf.createModel(WRITER);
    const trainer = await model.trainer({ learningRate: 0.1 });
    yield [trainer.settings, trainer.frozen, trainer.steps];
    yield trainer.step(BATCH);
    yield trainer.train([BATCH, BATCH], { onProgress: () => true });
    yield trainer.train(() => BATCH, { onProgress: ({ step }) => step < 5 });
    yield trainer.loss(BATCH);
    yield trainer.gradients(BATCH);
    yield model.tensor(GRAD);
    const state = await trainer.state();
    yield state;
    const snapshot = await trainer.snapshot();
    yield trainer.step(BATCH);
    await trainer.restore(snapshot);
    yield trainer.step(BATCH);
    await trainer.resume(state);
    yield trainer.steps;
    const file = await trainer.save({ recipe: { a: 1 } });
    yield file;
    const opened = await gf.loadModel(file);
    yield opened;
    yield opened.trainer.step(BATCH);
    await opened.trainer.free();
    const words = Array.from({ length: 20 }, (_, i) => `w${i}`);
    yield await model.save({ vocabulary: new Vocabulary(words) });
    yield (await gf.loadModel(await model.save({ vocabulary: words }))).tokenizer.encode('w3 w4');
    yield await model.save({ format: 'onnx' });
  },
  async *'a checkpoint'(gf) {
    const { model, tokenizer, family, notes } = await gf.loadModel(folder('bert-classes'));
    yield [family, notes, tokenizer.size, tokenizer.special];
    yield tokenizer.encode('the creek');
    const pieces = await tokenizer.decoder();
    yield [pieces.push([5, 6]), pieces.end()];
    yield tokenizer.decode((await tokenizer.encode('the creek')).ids);
    yield [await tokenizer.token(5), await tokenizer.id('the'), await tokenizer.label(5), await tokenizer.has('the')];
    yield await tokenizer.toJSON();
    yield model.classify(['the creek was cold', 'the dog']);
    yield model.classify(await tokenizer.encode(['the creek']));
    yield model.embed('the creek');
    const { signal } = new AbortController();
    yield model.classify('the creek', { signal });
    yield model.embed({ ids: [[1, 2]], signal });
    yield model.embed(['the creek', 'a dog'], { pooling: 'first' });
    const twin = await model.clone();
    yield twin.classify('the dog');
    yield await model.save({ format: 'huggingface' });
  },
  async *refusals(gf) {
    const model = await gf.createModel(WRITER);
    yield gf.softmax();
    yield gf.softmax(x, { axis: 0 });
    yield gf.createModel({ heads: 3 });
    yield gf.matmul(x, x, { transposeB: true, maxOperations: 1 });
    yield model.forward({ ids: [99] });
    yield model.tensor('none');
    yield model.embed('the creek');
    yield model.embed([1], { signal: AbortSignal.abort(new Error('enough')) });
    yield model.embed([1], { signal: 7 });
    yield model.classify([1]);
    yield model.trainer({ learningRate: 'fast' });
    yield gf.loadModel(new Uint8Array(9));
  },
};

/** What stands behind an object that notes. */
const PLAIN = Symbol('plain');

/** @param {any} object */
const kindOf = (object) =>
  ({ createModel: 'engine', forward: 'model', lens: 'trace', state: 'trainer', encode: 'tokenizer' })[
    ['createModel', 'forward', 'lens', 'state', 'encode'].find((name) => typeof object?.[name] === 'function') ?? ''
  ];

/**
 * Methods and properties of a class, but those of earlier versions.
 * @param {any} object
 * @returns {Record<string, 'function' | 'property'>}
 */
function membersOf(object) {
  /** @type {Record<string, 'function' | 'property'>} */
  const members = {};
  for (let at = object; at && at !== Object.prototype && at !== WeakSet.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      try {
        if (name !== 'constructor') members[name] ??= typeof object[name] === 'function' ? 'function' : 'property';
      } catch (error) {
        assert.match(`${error}`, /is now|was freed/); // such as gf.workers
      }
    }
  }
  return members;
}

/** What was called, and what there is, by side and kind. */
const called = { here: new Set(), there: new Set() };
/** @type {Record<'here' | 'there', Record<string, Record<string, string>>>} */
const members = { here: {}, there: {} };

/**
 * An object that notes which of its methods are called; what they refuse is a result.
 * @param {'here' | 'there'} side @param {any} value
 * @returns {any}
 */
function noting(side, value) {
  const kind = kindOf(value);
  if (!kind || value instanceof Vocabulary) {
    if (!value || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, noting(side, each)]));
  }
  members[side][kind] ??= membersOf(value);
  return new Proxy(Object.create(null), {
    get(_, name) {
      if (name === PLAIN) return value;
      const member = value[name];
      if (typeof member !== 'function') return member;
      return (/** @type {any[]} */ ...args) => {
        called[side].add(`${kind}.${String(name)}`);
        const given = args.map((each) => each?.[PLAIN] ?? each);
        const thrown = (/** @type {any} */ { code, parameter, message }) => ({ thrown: { code, parameter, message } });
        try {
          const result = member.apply(value, given);
          const settled = () => Promise.resolve(result).then((each) => noting(side, each), thrown);
          const steps = result?.[Symbol.asyncIterator]?.bind(result);
          const then = (/** @type {any[]} */ ...on) => settled().then(...on);
          return steps ? { [Symbol.asyncIterator]: steps, ...(result.then && { then }) } : settled();
        } catch (error) {
          return thrown(error);
        }
      };
    },
  });
}

/** What a result shows to whoever compares: of an object that stays its kind. @param {any} value @returns {any} */
function shown(value) {
  const kind = kindOf(value);
  if (kind) return kind;
  if (!value || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shown(each)]));
}

/** @param {'here' | 'there'} side @param {string} name */
async function results(side, name) {
  const all = [];
  for await (const each of PROGRAMS[name](noting(side, SIDES[side]))) all.push(shown(each));
  return all;
}

for (const name of Object.keys(PROGRAMS)) {
  test(`the same results, here and in a worker: ${name}`, async () => {
    const here = await results('here', name);
    const there = await results('there', name);
    for (const [i, each] of here.entries()) assert.deepEqual(there[i], each, `result ${i} of ${name}`);
    assert.equal(there.length, here.length);
    const refused = here.filter((each) => each?.thrown).length;
    const expected = name === 'refusals' ? here.length : /^(a model|traces)$/.test(name) ? 1 : 0;
    assert.equal(refused, expected, JSON.stringify(here.filter((each) => each?.thrown)));
  });
}

test('a word of an earlier version names the new one on both sides', () => {
  for (const gf of Object.values(SIDES)) {
    assert.throws(() => gf.workers, { name: 'GlassformerError', code: 'unknown', message: 'workers: is now threads' });
  }
});

test('every member is there on both sides, and every method is called on both', () => {
  const listed = (/** @type {'here' | 'there'} */ side, wanted = /./) =>
    Object.entries(members[side])
      .flatMap(([kind, all]) => Object.entries(all).map(([name, type]) => `${kind}.${name}: ${type}`))
      .filter((each) => wanted.test(each) && !ALONE[side].some((name) => each.startsWith(`${name}:`)))
      .sort();
  assert.deepEqual(Object.keys(members.here).sort(), ['engine', 'model', 'tokenizer', 'trace', 'trainer']);
  assert.deepEqual(listed('there'), listed('here'));
  for (const side of /** @type {const} */ (['here', 'there'])) {
    const silent = listed(side, /function$/).filter((each) => !called[side].has(each.split(':')[0]));
    assert.deepEqual(silent, [], `${side}: no program calls these`);
  }
});
