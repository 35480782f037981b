// Arguments made to break what reads them: each is refused by a GlassformerError that names it, and soon; an error of
// the caller's own code passes as it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GlassformerError, Vocabulary, load, readSafetensors, writeSafetensors } from 'glassformer';
import { gradients, operationVjp, vjp } from 'glassformer/derivatives';
import { exportOnnx } from 'glassformer/onnx';
import { openSafetensors } from 'glassformer/checkpoints';
import { TINY } from './reference.js';

const gf = await load({ variant: 'simd' });
const model = gf.createModel({ ...TINY, vocabulary: 4 });
const trainer = model.trainer();
const vocabulary = new Vocabulary(['a', 'b', 'c', 'd']);
const before = model.weights();
const IDS = [1, 2, 3];

const HUGE = new Array(2 ** 32 - 1);
const LONG = 'x'.repeat(4_000_000);
const PATCHED = 'decoder.layers.0.ffn.out';

const revoked = (target = {}) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
/** A proxy that is revoked by its first reading. */
const revoking = (target) => {
  const { proxy, revoke } = Proxy.revocable(target, {
    get(of, name) {
      if (name === 'length' || name === 'shape' || name === 'data') revoke();
      return of[name];
    },
  });
  return proxy;
};
const cycle = { deep: [] };
cycle.deep.push(cycle);
/** Six levels of ten thousand, of one array: 10^24 numbers. */
let wide = new Array(10_000).fill(1);
for (let i = 0; i < 5; i++) wide = new Array(10_000).fill(wide);
const impostor = { [Symbol.toStringTag]: 'Map', size: 2 };
const self = [];
for (let i = 0; i < 4; i++) self.push(self);

/** @type {[string, () => unknown, string, string][]} */
const REFUSED = [
  ['a recipe with a BigInt', async () => model.save({ recipe: { seed: 1n } }), 'type', 'recipe'],
  ['a recipe that holds itself', async () => model.save({ recipe: cycle }), 'type', 'recipe'],
  ['the same of a run', () => trainer.save({ recipe: cycle }), 'type', 'recipe'],
  ['a vocabulary of numbers', async () => model.save({ vocabulary: [1, 2, 3, 4] }), 'type', 'vocabulary'],
  ['a vocabulary of nothing', async () => model.save({ vocabulary: HUGE }), 'type', 'vocabulary'],
  ['metadata that says it is a Map', async () => model.save({ metadata: impostor }), 'type', 'metadata'],
  ['frozen symbols', () => model.trainer({ frozen: [Symbol('x')] }), 'type', 'frozen'],
  ['frozen by nothing', () => model.trainer({ frozen: HUGE }), 'missing', 'frozen'],
  ['words of no list', () => new Vocabulary(3), 'type', 'words'],
  ['words of nothing', () => new Vocabulary(), 'type', 'words'],
  ['words of symbols', () => new Vocabulary(['a', Symbol('x')]), 'type', 'words'],
  ['too many words', () => new Vocabulary(HUGE), 'type', 'words'],
  ['words of a revoked proxy', () => new Vocabulary(revoked([])), 'type', 'words'],
  ['ids of no words', () => vocabulary.ids([1]), 'type', 'words'],
  ['texts of numbers', () => vocabulary.encode([1]), 'type', 'texts'],
  ['text of nothing', () => vocabulary.encode(null), 'type', 'text'],
  ['a text too long', () => vocabulary.encode(HUGE), 'type', 'texts'],
  ['ids too many', () => vocabulary.decode(HUGE), 'type', 'ids'],
  ['ids of nothing', () => vocabulary.decode(null), 'type', 'ids'],
  ['a word by a symbol', () => vocabulary.token(Symbol('x')), 'token', 'id'],
  ['weights that say they are a Map', () => model.loadWeights(impostor), 'type', 'weights'],
  ['tensors that say they are a Map', () => writeSafetensors(impostor), 'type', 'tensors'],
  ['cotangents that say so', () => vjp(model, { ids: IDS, cotangents: impostor, of: [PATCHED] }), 'type', 'cotangents'],
  ['revoked options', () => model.forward(revoked()), 'type', 'options'],
  ['revoked ids', () => model.forward({ ids: revoked([]) }), 'type', 'ids'],
  ['revoked data', () => gf.relu({ data: revoked([]), shape: [1] }), 'type', 'x'],
  ['a revoked shape', () => gf.relu({ data: [1], shape: revoked([]) }), 'type', 'x.shape'],
  ['a revoked row', () => gf.relu([[1], revoked([1])]), 'shape', 'x'],
  ['a revoked number', () => gf.relu([1, revoked()]), 'type', 'x'],
  ['data that are revoked while they are read', () => gf.relu(revoking([1, 2])), 'type', 'x'],
  ['a tensor that is revoked', () => gf.relu(revoking({ data: [1], shape: [1] })), 'type', 'x'],
  ['a row that is revoked', () => gf.relu([[1, 2], revoking([1, 2])]), 'type', 'x'],
  ['revoked patches', () => model.forward({ ids: IDS, capture: true, patches: revoked([]) }), 'type', 'patches'],
  ['a revoked patch', () => model.forward({ ids: IDS, capture: true, patches: [revoked()] }), 'type', 'patches[0]'],
  ['a revoked ablation', () => model.forward({ ids: IDS, ablate: [revoked()] }), 'type', 'ablate[0]'],
  ['revoked weights', () => model.loadWeights(revoked()), 'type', 'weights'],
  ['a revoked weight', () => model.loadWeights({ ...Object.fromEntries(before), 'tok_emb.weight': revoked() }), 'type'],
  ['a revoked configuration', () => gf.createModel(revoked()), 'type', 'options'],
  ['revoked changes', () => model.clone(revoked()), 'type', 'changes'],
  ['revoked settings', () => model.trainer(revoked()), 'type', 'options'],
  ['a revoked state', () => trainer.resume(revoked()), 'type', 'options'],
  ['a revoked file', () => readSafetensors(revoked()), 'type', 'file'],
  ['a revoked name', () => model.tensor(revoked()), 'type', 'selector'],
  ['revoked inputs', () => exportOnnx(model, { inputs: revoked([]) }), 'type', 'inputs'],
  ['revoked options of an export', () => exportOnnx(model, revoked()), 'type', 'options'],
  ['a revoked model', () => exportOnnx(revoked()), 'foreign', 'model'],
  ['a revoked model', () => vjp(revoked(), {}), 'foreign', 'model'],
  ['revoked names', () => vjp(model, { ids: IDS, cotangents: { [PATCHED]: [1] }, of: revoked([]) }), 'type', 'of'],
  ['a revoked cotangent', () => operationVjp(gf, 'relu', [[1]], revoked()), 'unknown', 'operation'],
  ['a revoked cotangent', () => operationVjp(gf, 'softmax', [[1]], revoked()), 'type', 'cotangent'],
  ['a symbol in place of an operation', () => operationVjp(gf, Symbol('x'), {}, [1]), 'unknown', 'operation'],
  [
    'a symbol in place of an index',
    () => gradients(model, { ids: IDS, labels: IDS, ignoreIndex: Symbol('x'), of: [PATCHED] }),
    'type',
    'ignoreIndex',
  ],
  ['a setting with a long name', () => gf.createModel({ [LONG]: 1 }), 'unknown', LONG],
  ['an option with a long name', () => model.forward({ ids: IDS, [LONG]: 1 }), 'unknown', LONG],
  ['a tensor with a long name', () => model.tensor(LONG), 'unknown', 'name'],
  ['a weight with a long name', () => model.loadWeights({ [LONG]: [1] }), 'unknown', LONG],
  ['a choice that is long', () => gf.createModel({ kind: LONG }), 'config', 'kind'],
  ['a BigInt that is long', () => gf.createModel({ d_model: 10n ** 5000n }), 'type', 'd_model'],
  ['too many ids', () => model.forward({ ids: HUGE }), 'memory', 'ids'],
  ['too many numbers', () => gf.relu(HUGE), 'memory', 'x'],
  ['too many flags', () => model.forward({ ids: IDS, padding: HUGE }), 'memory', 'padding'],
  ['too many data', () => gf.relu({ data: HUGE, shape: [2 ** 32 - 1] }), 'memory', 'x'],
  ['too many axes', () => gf.relu({ data: [1], shape: HUGE }), 'shape', 'x'],
  ['too many numbers in few arrays', () => gf.relu(wide), 'memory', 'x'],
  ['too many of arrays in themselves', () => gf.relu(self), 'type', 'x'],
  ['too many patches', () => model.forward({ ids: IDS, capture: true, patches: HUGE }), 'missing', 'patches[0]'],
  [
    'too many numbers of a patch',
    () => model.forward({ ids: IDS, capture: true, patches: [{ name: PATCHED, value: HUGE }] }),
    'memory',
    'patches[0].value',
  ],
  [
    'too long an index',
    () => model.forward({ ids: IDS, capture: true, patches: [{ name: PATCHED, index: HUGE, value: 0 }] }),
    'missing',
    'patches[0].index[0]',
  ],
  ['too many ablations', () => model.forward({ ids: IDS, ablate: HUGE }), 'missing', 'ablate[0]'],
  ['too many names', () => vjp(model, { ids: IDS, cotangents: { output: [1] }, of: HUGE }), 'missing', 'of[0]'],
  ['too many inputs', () => exportOnnx(model, { inputs: HUGE }), 'missing', 'inputs'],
  ['too large a state', () => trainer.restore({ weights: HUGE }), 'memory', 'weights'],
  ['files too many', () => gf.loadModel(HUGE), 'missing', 'checkpoint[0]'],
  ['a revoked source', () => gf.loadModel(revoked()), 'format', 'file'],
  ['a revoked source of tensors', () => openSafetensors(revoked()), 'format', 'file'],
];

for (const [name, call, code, parameter] of REFUSED) {
  test(`${name}: refused`, async () => {
    const start = Date.now();
    const error = await Promise.resolve()
      .then(call)
      .then(
        () => assert.fail('was taken'),
        (thrown) => thrown,
      );
    assert.ok(error instanceof GlassformerError, error.stack?.slice(0, 500));
    assert.equal(error.code, code, error.message);
    if (parameter) assert.equal(error.parameter, parameter);
    assert.ok(error.message.length < 1000, `${error.message.length}`);
    assert.ok(Date.now() - start < 30_000, 'takes its time'); // it hung, or was a second on an idle machine
    for (const [key, { data }] of model.weights()) assert.deepEqual(data, before.get(key).data);
  });
}

test('an error of the code of the caller passes as it is', () => {
  for (const error of [
    Error('mine'),
    new TypeError('mine'),
    new GlassformerError('state', 'mine', 1, 'mine'),
    'mine',
  ]) {
    const raise = () => {
      throw error;
    };
    const getter = (name, given) => Object.defineProperty({ ...given }, name, { enumerable: true, get: raise });
    const trap = new Proxy([], { get: raise });
    for (const call of [
      () => model.forward(getter('ids', {})),
      () => model.forward({ ids: trap }),
      () => model.forward({ ids: IDS, capture: true, patches: [getter('value', { name: PATCHED })] }),
      () => gf.relu(getter('data', { shape: [1] })),
      () => gf.relu(getter('shape', { data: [1] })),
      () => model.loadWeights(before, { rename: raise }),
      () => model.loadWeights(getter('tok_emb.weight', {})),
      () => model.trainer({ frozen: trap }),
      () => trainer.step(getter('labels', { ids: IDS })),
      () => vjp(model, getter('of', { ids: IDS, cotangents: { output: [1] } })),
      () => model.generate({ ids: IDS, maxTokens: 2, onToken: raise }),
      () => new Vocabulary(trap),
    ]) {
      try {
        call();
        assert.fail('was taken');
      } catch (thrown) {
        assert.equal(thrown, error, `${thrown?.stack}`);
      }
    }
  }
  assert.equal(model.forward({ ids: IDS }).logits.shape[2], 4); // nothing has stuck
});
