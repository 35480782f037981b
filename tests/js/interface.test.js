// One interface: the same calls of every public method, here and in a worker, with the same results to the bit, and the
// same refusals. A method that exists on one side alone, or that no program calls, fails.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load, Vocabulary } from 'glassformer';
import { METHODS, OBJECTS, OPERATIONS, jinja, use } from '../methods.js';

const SIDES = { here: await load({ variant: 'simd' }), there: await load({ variant: 'simd', worker: true }) };
after(() => SIDES.there.terminate());

const WRITER = { kind: 'decoder', vocabulary: 20, d_model: 16, heads: 2, layers: 2, head: 'linear', seed: 3 };
const BATCH = { ids: [1, 2, 3], labels: [2, 3, 4] };
const x = { data: Float32Array.from({ length: 24 }, (_, i) => Math.sin(i)), shape: [3, 8] };
const GRAD = 'grad.decoder.layers.0.linear1.weight';
const folder = (/** @type {string} */ name) => new URL(`../checkpoints/${name}/`, import.meta.url).pathname;

/** Every public method, at least once. @type {Record<string, (gf: any) => AsyncGenerator<unknown>>} */
const PROGRAMS = {
  async *operations(gf) {
    for (const [name, row] of Object.entries(OPERATIONS)) yield use(gf, name, row);
    yield use(gf, 'tensor', METHODS.engine.tensor);
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
    yield one.attribution(1, { id: 4, against: 5, neurons: 0 });
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
    yield typeof (await model.generateSync(prompt)); // a worker refuses it
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
    const layer = await gf.createModel({ kind: 'feed-forward', d_model: 8, d_ff: 9, activation: 'top-k', active: 2 });
    const rebuilding = await layer.trainer({ loss: 'mse' });
    await rebuilding.data(x);
    yield rebuilding.step({ draw: 3 });
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
    yield tokenizer.chat([{ role: 'user', content: 'the creek' }], { jinja, template: '' });
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
    const tagger = await model.clone({ head: 'classes', of: 'tokens', labels: ['noun', 'other'] });
    yield tagger.classifyTokens(['the creek was cold', 'the dog']);
    const reader = await model.clone({ head: 'spans' });
    yield reader.answer('the dog', 'the creek was cold', { longest: 2 });
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

/** The key of the object behind one that notes calls. */
const PLAIN = Symbol('plain');

/** @param {any} object */
const kindOf = (object) =>
  ({ createModel: 'engine', forward: 'model', lens: 'trace', state: 'trainer', encode: 'tokenizer' })[
    ['createModel', 'forward', 'lens', 'state', 'encode'].find((name) => typeof object?.[name] === 'function') ?? ''
  ];

/** Methods and properties of an object. @param {any} object */
function membersOf(object) {
  const members = new Set();
  for (let at = object; at && at !== Object.prototype && at !== WeakSet.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      try {
        if (name !== 'constructor' && [object[name]]) members.add(name);
      } catch (error) {
        assert.match(`${error}`, /was freed/);
      }
    }
  }
  return [...members].sort();
}

/** The methods that were called, and all members, by side and kind. */
const called = { here: new Set(), there: new Set() };
/** @type {Record<'here' | 'there', Record<string, string[]>>} */
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

/** A result in comparable form: for an object of the engine, its kind. @param {any} value @returns {any} */
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

/** Names of a kind on a side. @param {string} kind @param {string} side @param {(row: any) => unknown} [wanted] */
const rowsOf = (kind, side, wanted = () => true) =>
  Object.entries(METHODS[kind])
    .filter(([, row]) => (row.alone ?? side) === side && wanted(row))
    .map(([name]) => name)
    .sort();

test('the table of methods has each public one, on both sides, and every method is called on both', async () => {
  await noting('there', SIDES.there).terminate();
  const alone = ['features', 'vocabulary'];
  assert.deepEqual([...Object.keys(members.here), ...alone].sort(), Object.keys(METHODS).sort());
  for (const kind of alone) assert.deepEqual(membersOf(OBJECTS[kind]), rowsOf(kind, 'here'));
  for (const side of /** @type {const} */ (['here', 'there'])) {
    for (const [kind, found] of Object.entries(members[side])) {
      // Stubs that say what to do instead, and numbers that its side knows.
      const others = side === 'there' ? found.filter((name) => METHODS[kind][name]?.alone !== 'here') : found;
      assert.deepEqual(others, rowsOf(kind, side), `${side}: ${kind}`);
      const silent = rowsOf(kind, side, ({ given }) => given).filter((name) => !called[side].has(`${kind}.${name}`));
      assert.deepEqual(silent, [], `${side}: no program calls these of ${kind}`);
    }
  }
});
