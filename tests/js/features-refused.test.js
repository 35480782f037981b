// Dictionaries of every source; what is refused, by name; and files that are made to do harm.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { load, writeSafetensors } from 'glassformer';
import { loadFeatures } from 'glassformer/features';
import { startHub } from '../hub.js';
import { DRAWN, dictionaryOf, fileOf } from './features-file.js';

const FOLDER = new URL('../dictionaries/layernorm-mlp-out/', import.meta.url);
const [CFG, WEIGHTS] = ['cfg.json', 'sae_weights.safetensors'];
const [cfg, weights] = [CFG, WEIGHTS].map((name) => readFileSync(new URL(name, FOLDER)));
const said = JSON.parse(String(cfg));

/** @param {string} code @param {string} parameter */
const refusal = (code, parameter) => (/** @type {any} */ error) => {
  assert.deepEqual([error.name, error.code, error.parameter], ['GlassformerError', code, parameter], error.stack);
  assert(error.message.length < 500, error.message);
  return true;
};

const hub = await startHub({
  'test/saes': { [`res jb/layer 1/${CFG}`]: cfg, [`res jb/layer 1/${WEIGHTS}`]: weights },
  'test/plain': { [CFG]: cfg, [WEIGHTS]: weights },
});
after(() => hub.close());

test('from folders, names, files by name, picked files, and one file of ours', async () => {
  const file = (await loadFeatures(FOLDER)).save();
  const path = FOLDER.pathname;
  const { endpoint } = hub;
  const how = { endpoint, cache: false };
  const picked = [new File([cfg], CFG), new File([weights], WEIGHTS), new File(['x'], 'sparsity.safetensors')];
  for (const [source, options] of [
    [path],
    [path.slice(0, -1)],
    [FOLDER.href],
    [Promise.resolve(pathToFileURL(path))],
    [{ config: said, weights }],
    [{ config: cfg, weights: Promise.resolve(new Blob([weights])) }],
    [{ config: path + CFG, weights: path + WEIGHTS }],
    [{ config: new Response(cfg), weights: new Response(weights) }],
    [picked],
    ['hub:test/plain', how],
    ['hub:test/saes/res jb/layer 1', how],
    ['hub:test/saes/res jb/layer 1/', { ...how, revision: 'main' }],
    [file],
    [file.buffer],
    [new Blob([file])],
    [new Response(file)],
  ]) {
    const features = await loadFeatures(source, options);
    assert.deepEqual(features.save(), file);
  }
  let last;
  await loadFeatures(FOLDER, { onProgress: (/** @type {any} */ progress) => (last = progress) });
  assert.equal(last.loaded, last.total);
});

test('a source that is none', async () => {
  const { endpoint } = hub;
  const how = { endpoint, cache: false };
  for (const [source, code, parameter, options] of [
    [undefined, 'missing', 'source'],
    [null, 'type', 'source'],
    [7, 'type', 'source'],
    [{}, 'missing', 'config'],
    [{ config: said }, 'missing', 'weights'],
    [{ config: said, weight: weights }, 'unknown', 'weight'],
    [{ config: 7, weights }, 'type', CFG],
    [{ config: said, weights: 7 }, 'type', 'file'],
    [[], 'missing', CFG],
    [[7], 'type', 'source[0]'],
    [[new File([cfg], CFG)], 'missing', WEIGHTS],
    [[new File([cfg], CFG), new File([cfg], CFG)], 'format', CFG],
    [`${FOLDER.pathname}none/`, 'notFound', 'source'],
    ['hub:test', 'format', 'hub'],
    ['hub:test/saes/../plain', 'format', 'hub'],
    ['hub:test/saes/a\\b', 'format', 'hub', how],
    ['hub:test/saes', 'notFound', CFG, how],
    ['hub:test/none', 'notFound', 'hub:test/none', how],
    [weights, 'format', 'file'],
    [new Uint8Array(3), 'format', 'file'],
    [FOLDER, 'unknown', 'endpoint', how],
    [FOLDER, 'unknown', 'modell', { modell: 1 }],
    [FOLDER, 'type', 'options', 7],
    [FOLDER, 'type', 'model', { model: {} }],
    [FOLDER, 'type', 'processed', { processed: 1 }],
    [FOLDER, 'range', 'normScaling', { normScaling: 0 }],
    [FOLDER, 'range', 'normScaling', { normScaling: NaN }],
    [FOLDER, 'unknown', 'normScaling', { normScaling: 2 }],
    [FOLDER, 'type', 'signal', { signal: 7 }],
  ]) {
    await assert.rejects(
      loadFeatures(source, options),
      refusal(code, parameter),
      `${source} ${JSON.stringify(options)}`,
    );
  }
  const reason = new Error('enough');
  await assert.rejects(loadFeatures(FOLDER, { signal: AbortSignal.abort(reason) }), reason);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  await assert.rejects(loadFeatures({ config: { ...said, metadata: proxy }, weights }), refusal('format', CFG));
});

test('settings of other dictionaries are refused by name', async () => {
  const flat = { d_in: 32, d_sae: 48, hook_name: said.metadata.hook_name };
  const inside = (/** @type {object} */ more) => ({ ...said, metadata: { ...said.metadata, ...more } });
  for (const [config, code, parameter] of [
    [{ ...said, architecture: 'batchtopk' }, 'unsupported', 'architecture'],
    [{ ...said, architecture: 'transcoder', d_out: 32 }, 'unsupported', 'architecture'],
    [{ ...said, architecture: 'crosscoder' }, 'unsupported', 'architecture'],
    [{ ...said, architecture: 'matching_pursuit' }, 'unsupported', 'architecture'],
    [{ ...said, architecture: 'temporal' }, 'unsupported', 'architecture'],
    [{ ...said, architecture: ['standard'] }, 'unsupported', 'architecture'],
    [{ ...said, architecture: '__proto__' }, 'unsupported', 'architecture'],
    [{ ...said, d_out: 32 }, 'unsupported', 'd_out'],
    [inside({ hook_name_out: 'blocks.1.hook_mlp_out' }), 'unsupported', 'hook_name_out'],
    [inside({ hook_head_index: 0 }), 'unsupported', 'hook_head_index'],
    [{ ...flat, hook_point_head_index: 1 }, 'unsupported', 'hook_point_head_index'],
    [{ ...flat, activation_fn_str: 'tanh-relu' }, 'unsupported', 'activation_fn'],
    [{ ...flat, activation_fn: 'topk', architecture: 'gated' }, 'unsupported', 'activation_fn'],
    [{ ...said, normalize_activations: 'constant_scalar_rescale' }, 'unsupported', 'normalize_activations'],
    [{ ...said, normalize_activations: 7 }, 'type', 'normalize_activations'],
    [{ ...said, normalize_activations: 'expected_average_only_in' }, 'missing', 'normScaling'],
    [{ ...flat, normalize_activations: true }, 'missing', 'normScaling'],
    [{ ...said, reshape_activations: 'hook_q' }, 'unsupported', 'reshape_activations'],
    [{ ...said, reshape_activations: 'hook_z' }, 'unsupported', 'reshape_activations'],
    [{ ...said, rescale_acts_by_decoder_norm: true }, 'unsupported', 'rescale_acts_by_decoder_norm'],
    [{ ...said, rescale_acts_by_decoder_norm: 1 }, 'type', 'rescale_acts_by_decoder_norm'],
    [{ ...said, apply_b_dec_to_input: 'yes' }, 'type', 'apply_b_dec_to_input'],
    [{ ...said, k: 3 }, 'unsupported', 'k'],
    [{ ...said, architecture: 'topk' }, 'missing', 'k'],
    [{ ...said, architecture: 'topk', k: 0 }, 'config', 'k'],
    [{ ...said, architecture: 'topk', k: -1 }, 'config', 'k'],
    [{ ...said, architecture: 'topk', k: 49 }, 'config', 'k'],
    [{ ...said, architecture: 'topk', k: 2.5 }, 'config', 'k'],
    [{ ...said, architecture: 'topk', k: '5' }, 'type', 'k'],
    [{ ...flat, activation_fn: 'topk', activation_fn_kwargs: { k: 49 } }, 'config', 'k'],
    [{ ...said, d_in: undefined }, 'missing', 'd_in'],
    [{ ...said, d_in: null }, 'missing', 'd_in'],
    [{ ...said, d_in: 0 }, 'config', 'd_in'],
    [{ ...said, d_sae: 1e300 }, 'config', 'd_sae'],
    [{ ...said, d_in: 31 }, 'shape', 'W_enc'],
    [{ ...said, d_sae: 47 }, 'shape', 'W_enc'],
    [{ ...said, metadata: 7 }, 'type', 'metadata'],
    [{ ...said, metadata: {} }, 'unsupported', 'hook_name'],
    [{ ...said, metadata: null }, 'unsupported', 'hook_name'],
    [inside({ hook_name: 'blocks.1.hook_mlp_in' }), 'unsupported', 'hook_name'],
    [inside({ hook_name: 'blocks.01.hook_mlp_out' }), 'unsupported', 'hook_name'],
    [inside({ hook_name: 'blocks.1.constructor' }), 'unsupported', 'hook_name'],
    [inside({ hook_name: 'blocks.{layer}.hook_mlp_out' }), 'unsupported', 'hook_name'],
    [inside({ hook_name: ['blocks.1.hook_mlp_out'] }), 'unsupported', 'hook_name'],
    [inside({ model_from_pretrained_kwargs: { center_writing_weights: 1 } }), 'type', 'center_writing_weights'],
    [{ ...said, architecture: 'jumprelu' }, 'missing', 'threshold'],
    [{ ...said, architecture: 'gated' }, 'missing', 'b_gate'],
    [{ ...said, finetuning_scaling_factor: true }, 'missing', 'scaling_factor'],
  ]) {
    await assert.rejects(loadFeatures({ config, weights }), refusal(code, parameter), JSON.stringify(config));
  }
  for (const [text, code] of [
    ['', 'format'],
    ['[]', 'format'],
    ['{', 'format'],
    ['null', 'format'],
    ['['.repeat(1000), 'format'],
    [' '.repeat(2 ** 22 + 1), 'format'],
  ]) {
    await assert.rejects(loadFeatures({ config: Buffer.from(text), weights }), refusal(code, CFG));
  }
});

test('tensors that do not fit', async () => {
  const config = { d_in: 2, d_sae: 1, metadata: { hook_name: 'blocks.0.hook_mlp_out' } };
  const [W_enc, W_dec, b_enc, b_dec] = [[[1], [0]], [[1, 0]], [0], [0, 0]];
  const good = { W_enc, W_dec, b_enc, b_dec };
  assert.equal((await loadFeatures({ config, weights: writeSafetensors(good) })).size, 1);
  const omitted = (/** @type {'W_enc'} */ name) => ({ ...good, [name]: undefined });
  const file = (/** @type {any} */ given) =>
    writeSafetensors(Object.fromEntries(Object.entries(given).filter(([, value]) => value)));
  for (const [tensors, code, parameter] of [
    ...['W_enc', 'W_dec', 'b_enc', 'b_dec'].map((name) => [omitted(name), 'missing', name]),
    [{ ...good, W_enc: [[1, 0]] }, 'shape', 'W_enc'],
    [{ ...good, W_enc: [1, 0] }, 'shape', 'W_enc'],
    [{ ...good, b_dec: [0] }, 'shape', 'b_dec'],
    [{ ...good, W_skip: [[1, 0], [0, 1]] }, 'unknown', 'W_skip'], // prettier-ignore
    [{ ...good, threshold: [0] }, 'unknown', 'threshold'],
    [{ ...good, x_shift: [0, 0] }, 'unknown', 'x_shift'],
    [{ ...good, W_enc: [[NaN], [0]] }, 'number', 'W_enc'],
    [{ ...good, b_dec: [0, -Infinity] }, 'number', 'b_dec'],
    [{ ...good, b_enc: { data: Int32Array.of(0), shape: [1] } }, 'dtype', 'b_enc'],
    [{ ...good, scaling_factor: [2] }, 'format', 'scaling_factor'],
    [{ ...good, scaling_factor: [1, 1] }, 'shape', 'scaling_factor'],
  ]) {
    await assert.rejects(loadFeatures({ config, weights: file(tensors) }), refusal(code, parameter), parameter);
  }
  const bytes = (/** @type {string} */ dtype, /** @type {number[]} */ shape, /** @type {ArrayBufferView} */ part) => ({
    dtype,
    shape,
    parts: [part],
  });
  const plain = {
    W_enc: bytes('F32', [2, 1], new Float32Array(2)),
    W_dec: bytes('F32', [1, 2], new Float32Array(2)),
    b_enc: bytes('F32', [1], new Float32Array(1)),
    b_dec: bytes('F32', [2], new Float32Array(2)),
  };
  for (const [more, code, parameter] of [
    [{ W_enc: bytes('F8_E4M3', [2, 1], new Uint8Array(2)) }, 'dtype', 'W_enc'],
    [{ b_dec: bytes('F64', [2], Float64Array.of(1e300, 0)) }, 'number', 'b_dec'],
    [{ b_dec: bytes('F16', [2], Uint16Array.of(0x7c00, 0)) }, 'number', 'b_dec'],
    [{ b_dec: bytes('BF16', [2], Uint16Array.of(0x7fc0, 0)) }, 'number', 'b_dec'],
    [{ other: bytes('I8', [1], new Uint8Array(1)) }, 'unknown', 'other'],
  ]) {
    await assert.rejects(loadFeatures({ config, weights: fileOf({ ...plain, ...more }) }), refusal(code, parameter));
  }
});

test('a file of ours whose metadata is damaged', async () => {
  const tensors = { W_enc: [[1], [0]], W_dec: [[1, 0]], b_enc: [0], b_dec: [0, 0] };
  const config = { d_in: 2, d_sae: 1, metadata: {} };
  const OWN = 'glassformer.features';
  const file = (/** @type {string} */ own, /** @type {any} */ more = {}) =>
    writeSafetensors({ ...tensors, ...more }, { metadata: { [CFG]: JSON.stringify(config), [OWN]: own } });
  const features = await loadFeatures(file('{"at":{"layer":0,"head":1},"facts":{"alive":3}}'));
  assert.deepEqual([features.at, features.facts], [{ layer: 0, head: 1 }, { alive: 3 }]);
  assert.deepEqual((await loadFeatures(features.save())).facts, { alive: 3 });
  const shifted = await loadFeatures(file('{"at":"decoder.input","centered":"x_shift"}', { x_shift: [3, 0] }));
  assert.deepEqual([...shifted.encode([5, 0]).data, ...shifted.decode([1]).data], [2, 4, 0]);
  for (const [own, code, parameter] of [
    ['', 'format', OWN],
    ['7', 'type', OWN],
    ['{}', 'unsupported', 'hook_name'],
    ['{"at":7}', 'type', 'at'],
    ['{"at":{"depth":0}}', 'unknown', 'depth'],
    ['{"at":"decoder.input","centered":"median"}', 'range', 'centered'],
    ['{"at":"decoder.input","centered":"x_shift"}', 'missing', 'x_shift'],
    ['{"at":"decoder.input","facts":7}', 'type', 'facts'],
  ]) {
    await assert.rejects(loadFeatures(file(own)), refusal(code, parameter), own);
  }
  await assert.rejects(
    loadFeatures(file('{"at":"decoder.input"}'), { processed: true }),
    refusal('unknown', 'processed'),
  );
});

test('files cut short, with bytes changed, or of chance: an error of ours, or numbers', async () => {
  const whole = (await loadFeatures(FOLDER)).save();
  const open = async (/** @type {Buffer | Uint8Array} */ file) => {
    try {
      const features = await loadFeatures(file, {});
      const x = new Float32Array(features.width);
      assert(features.encode(x).data.every((value) => value >= 0));
    } catch (error) {
      const { name, message, stack } = /** @type {any} */ (error);
      assert.equal(name, 'GlassformerError', stack);
      assert(message.length < 600, message);
    }
  };
  for (const end of [0, 1, 7, 8, 9, 100, whole.length - 1, whole.length - 4]) {
    await assert.rejects(loadFeatures(whole.slice(0, end)), { name: 'GlassformerError', code: 'format' });
  }
  const byte = fc.record({ at: fc.nat(whole.length - 1), to: fc.nat(255) });
  const head = fc.record({ at: fc.nat(1600), to: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(byte, head), { minLength: 1, maxLength: 4 }), async (changes) => {
      const file = whole.slice();
      for (const { at, to } of changes) file[at] = to;
      await open(file);
    }),
    { numRuns: 300 },
  );
  await fc.assert(
    fc.asyncProperty(
      DRAWN,
      fc.jsonValue(),
      fc.constantFrom(...Object.keys(said), 'k', 'meta'),
      async (drawn, value, key) => {
        const { config, weights: bytes } = dictionaryOf(drawn);
        try {
          await loadFeatures({ config: { ...config, [key]: value }, weights: bytes });
        } catch (error) {
          assert.equal(/** @type {any} */ (error).name, 'GlassformerError', /** @type {any} */ (error).stack);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('methods refuse wrong values by name', async () => {
  const gf = await load({ variant: 'simd' });
  const features = await loadFeatures(FOLDER);
  const { width, size } = features;
  const [x, z] = [new Float32Array(width), new Float32Array(size)];
  const edit = { feature: 1, set: 0 };
  for (const [call, code, parameter] of [
    [() => features.encode(), 'missing', 'x'],
    [() => features.encode('x'), 'type', 'x'],
    [() => features.encode(new Float32Array(31)), 'shape', 'x'],
    [() => features.encode({ data: x, shape: [32, 1] }), 'shape', 'x'],
    [() => features.encode(Array.from(x, () => NaN)), 'range', 'x'],
    [() => features.encode(gf), 'type', 'x'],
    [() => features.decode(), 'missing', 'features'],
    [() => features.decode(x, x), 'shape', 'features'],
    [() => features.decode(z), 'missing', 'x'],
    [() => features.decode(z, z), 'shape', 'x'],
    [() => features.decode([z], x), 'shape', 'x'],
    [
      () =>
        features.decode(
          Array.from(z, () => Infinity),
          x,
        ),
      'range',
      'features',
    ],
    [() => features.vector(), 'missing', 'feature'],
    [() => features.vector(size), 'range', 'feature'],
    [() => features.vector(-1), 'range', 'feature'],
    [() => features.vector('1'), 'type', 'feature'],
    [() => features.change(x), 'missing', 'edits'],
    [() => features.change(x, edit), 'type', 'edits'],
    [() => features.change(x, [7]), 'type', 'edits[0]'],
    [() => features.change(x, [{ set: 0 }]), 'missing', 'edits[0].feature'],
    [() => features.change(x, [{ feature: 48, set: 0 }]), 'range', 'edits[0].feature'],
    [() => features.change(x, [edit, { feature: 1 }]), 'missing', 'edits[1].set'],
    [() => features.change(x, [{ ...edit, add: 1 }]), 'unknown', 'edits[0].add'],
    [() => features.change(x, [{ feature: 1, scale: NaN }]), 'range', 'edits[0].scale'],
    [() => features.change(x, [{ feature: 1, add: '1' }]), 'type', 'edits[0].add'],
    [() => features.change(z, [edit]), 'shape', 'x'],
    [() => features.save({ a: 1 }), 'unknown', 'a'],
    [() => features.encode.call({}, x), 'foreign', 'this'],
    [() => Object.getPrototypeOf(features).size, 'foreign', 'this'],
  ]) {
    assert.throws(call, refusal(code, parameter), String(call));
  }
  assert.equal(Object.prototype.toString.call(features), '[object GlassformerFeatures]');
});
