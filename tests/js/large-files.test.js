// Large files: read piece by piece into the module's memory, ended half way, cut, or refused before they are read.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openAsBlob, openSync, readFileSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { GlassformerError, load, readSafetensors } from 'glassformer';
import { loadModel } from 'glassformer/checkpoints';
import { loadModel as loadWhole } from 'glassformer/core';
import { load as loadWorker } from 'glassformer/worker';
import { configOf, makeBig, SIZES } from '../checkpoints/make-big.mjs';
import { file as made } from './odd-files.js';
import { same } from './reference.js';
import { smallMemory } from './small-memory.js';

const folder = mkdtempSync(join(tmpdir(), 'large-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const sizes = { layers: 2, d_model: 192, heads: 3, vocabulary: 48_000, length: 256 };
const files = Object.fromEntries(
  ['F32', 'F16'].map((dtype) => [dtype, makeBig(join(folder, dtype), { ...sizes, dtype, format: 'glassformer' })]),
);
const address = pathToFileURL(files.F32.file);
const gf = await load({ variant: 'simd' });

/** A model that is open, and what it says. */
const open = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 16, heads: 2, layers: 1, head: 'tied' });
const said = () => open.forward({ ids: [1, 2, 3] }).logits;
const before = said();

/** In its own process: most memory that opening took beside what there was, and of the module, in bytes. */
function peak(way, { file }) {
  const program = `
    import { openAsBlob } from 'node:fs';
    import { load } from 'glassformer';
    const gf = await load({ variant: 'simd' });
    await gf.loadModel(gf.createModel({ vocabulary: 9 }).save());
    const url = new URL(${JSON.stringify(pathToFileURL(file).href)});
    const source = ${way};
    const before = process.memoryUsage.rss();
    let most = 0;
    const onProgress = () => (most = Math.max(most, process.memoryUsage.rss()));
    const { model } = await gf.loadModel(source, { onProgress });
    onProgress();
    console.log(JSON.stringify({ rss: most - before, weights: 4 * model.parameterCount }));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  return JSON.parse(text);
}

for (const [dtype, file] of Object.entries(files)) {
  for (const [name, way] of Object.entries({
    'file: URL': 'url',
    Blob: 'await openAsBlob(url)',
    Response: 'new Response((await openAsBlob(url)).stream())',
  })) {
    test(`opening ${dtype} by ${name} takes the weights as float32 and less than 64 MB`, (t) => {
      const { rss, weights } = peak(way, file);
      assert.ok(weights > 38e6, `${weights}`);
      t.diagnostic(`${(rss / 1e6).toFixed(0)} MB for ${(weights / 1e6).toFixed(0)} MB of weights`);
      // Held as a whole, file and decoded tensors would take as much again each.
      assert.ok(rss < weights + 64e6, `${rss} bytes for ${weights} of weights`);
    });
  }
}

test('piece by piece gives the model that reading the whole gives', async () => {
  for (const [dtype, { file }] of Object.entries(files)) {
    const whole = await loadWhole(gf, readFileSync(file));
    const steps = [];
    const { model, metadata } = await gf.loadModel(await openAsBlob(file), {
      onProgress: (progress) => void steps.push(progress),
    });
    for (const name of whole.model.weights().keys()) {
      const [one, other] = [model, whole.model].map((of) => Buffer.from(of.tensor(name).data.buffer));
      assert.ok(one.equals(other), `${dtype} ${name}`);
    }
    assert.deepEqual(metadata, whole.metadata);
    assert.deepEqual(model.config, whole.model.config);
    const total = files[dtype].bytes;
    assert.ok(steps.every(({ loaded }, i) => loaded > (steps[i - 1]?.loaded ?? 0)));
    assert.equal(steps.at(-1).loaded, steps.at(-1).total);
    assert.ok(steps.at(-1).total < total && steps.at(-1).total > total - 1e5, 'all but the header');
    model.free();
    whole.model.free();
  }
});

test('ended half way, nothing stays and the open model says the same', async () => {
  const why = new Error('enough');
  const sizesOfMemory = new Set();
  for (let i = 0; i < 8; i++) {
    const controller = new AbortController();
    const opening = gf.loadModel(i % 2 ? address : await openAsBlob(address), {
      signal: controller.signal,
      onProgress: ({ loaded, total }) => loaded > total / 2 && controller.abort(why),
    });
    await assert.rejects(opening, why);
    sizesOfMemory.add(gf.memoryBytes);
  }
  assert.equal(sizesOfMemory.size, 1, 'what the first took is used again');
  await assert.rejects(gf.loadModel(address, { signal: AbortSignal.abort(why) }), why);
  same(said(), before);
});

test('a file that is cut, or cut while it is read, is refused', async () => {
  const cut = makeBig(join(folder, 'cut'), { ...sizes, format: 'glassformer' });
  const url = pathToFileURL(cut.file);
  const onProgress = ({ loaded, total }) => loaded > total / 2 && truncateSync(cut.file, cut.bytes / 2);
  const size = gf.memoryBytes;
  for (let i = 0; i < 2; i++) {
    await assert.rejects(gf.loadModel(url, { onProgress }), (error) => {
      assert.ok(error instanceof GlassformerError);
      assert.deepEqual([error.code, error.parameter], ['format', 'file']);
      assert.match(error.message, i ? /tensors have \d+ bytes of data/ : /ends after \d+ bytes, before the end of/);
      return true;
    });
  }
  assert.equal(gf.memoryBytes, size);
  same(said(), before);
});

/** A file with holes for its data, and a header for a model of other sizes. */
function hollow(name, given) {
  const { file } = makeBig(join(folder, name), { ...sizes, layers: 0, vocabulary: 1, format: 'glassformer' });
  const whole = { ...SIZES, ...sizes, layers: 0, ...given };
  let end = 0;
  const entry = (...shape) => ({
    dtype: 'F32',
    shape,
    data_offsets: [end, (end += shape.reduce((product, size) => product * size, 4))],
  });
  const bytes = made({
    __metadata__: { 'glassformer.version': '1', 'glassformer.config': JSON.stringify(configOf(whole)) },
    'tok_emb.weight': entry(whole.vocabulary, whole.d_model),
    'pos_emb.weight': entry(whole.length, whole.d_model),
    'decoder.norm.weight': entry(whole.d_model),
    'decoder.norm.bias': entry(whole.d_model),
  });
  const out = openSync(file, 'w');
  writeSync(out, bytes);
  closeSync(out);
  truncateSync(file, bytes.length + end);
  return { url: pathToFileURL(file), bytes: end };
}

test('what does not fit into 2 GB is refused before it is read, with the bytes needed', async () => {
  const size = gf.memoryBytes;
  const refuse = () => assert.fail('it was read');
  const { url, bytes } = hollow('large', { vocabulary: 1_000_000, d_model: 768, heads: 12 });
  await assert.rejects(gf.loadModel(url, { onProgress: refuse }), (error) => {
    assert.deepEqual([error.code, error.parameter, error.value], ['memory', 'file', bytes]);
    assert.match(
      error.message,
      /its weights take 3,07\d,\d{3},\d{3} bytes\. .* at most 2,147,483,648, of which \d.*free\(\)/,
    );
    return true;
  });
  assert.equal(gf.memoryBytes, size);
  // Weights that just fit leave no memory for a pass: in a module whose memory ends at 64 MB.
  const engine = await load({ wasm: smallMemory(2 ** 26) });
  const tight = hollow('tight', { vocabulary: 1_000_000, d_model: 16, heads: 4 });
  await assert.rejects(engine.loadModel(tight.url, { onProgress: refuse }), (error) => {
    assert.deepEqual([error.code, error.value], ['memory', tight.bytes]);
    assert.match(
      error.message,
      /a pass over one token does not fit beside its weights, which take 64,0\d\d,\d{3} bytes/,
    );
    return true;
  });
  same(said(), before);
});

test('what is not the model of its configuration is refused before it is read', async () => {
  const size = gf.memoryBytes;
  const refuse = () => assert.fail('it was read');
  const { url } = hollow('shapes', { vocabulary: 500 });
  const bytes = readFileSync(url);
  const swap = (from, to) => new Blob([Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')]);
  for (const [from, to, code, parameter] of [
    ['\\"vocabulary\\":500', '\\"vocabulary\\":501', 'shape', 'tok_emb.weight'],
    ['decoder.norm.weight', 'decoder.norm.height', 'unknown', 'decoder.norm.height'],
    ['\\"layers\\":0', '\\"layers\\":1', 'missing', 'decoder.layers.0.self_attn.in_proj_weight'],
    ['"dtype":"F32"', '"dtype":"I32"', 'dtype', 'tok_emb.weight'],
    ['\\"heads\\":3', '\\"heads\\":7', 'config', 'heads'],
  ]) {
    const opening = loadModel(gf, swap(from, to), { onProgress: refuse });
    await assert.rejects(opening, { code, parameter }, `${from} ${to}`);
  }
  assert.equal(gf.memoryBytes, size);
});

test('a number that is not finite is refused with its place', async () => {
  const bytes = Uint8Array.from(readFileSync(files.F16.file));
  const { tensors } = readSafetensors(bytes);
  const name = [...tensors.keys()][0];
  const start = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const [row, column] = [40_000, 17];
  new DataView(bytes.buffer).setUint16(start + 2 * (row * tensors.get(name).shape[1] + column), 0x7c00, true);
  await assert.rejects(gf.loadModel(new Blob([bytes])), (error) => {
    assert.deepEqual([error.code, error.parameter, error.value], ['range', name, Infinity]);
    assert.ok(error.message.startsWith(`${name}[${row}][${column}] must be finite`), error.message);
    return true;
  });
  same(said(), before);
});

test('the engine in a worker reads a Blob with progress, and hears the signal', async () => {
  const remote = await loadWorker({ variant: 'simd' });
  try {
    const blob = new Blob([readFileSync(files.F16.file)]);
    const steps = [];
    const { model } = await remote.loadModel(blob, { onProgress: ({ loaded }) => void steps.push(loaded) });
    assert.ok(steps.length > 3);
    assert.equal((await model.forward({ ids: [1, 2] })).logits.shape.at(-1), sizes.vocabulary);
    const controller = new AbortController();
    const why = new Error('enough');
    const opening = remote.loadModel(blob, { signal: controller.signal, onProgress: () => controller.abort(why) });
    await assert.rejects(opening, why);
  } finally {
    remote.terminate();
  }
});
