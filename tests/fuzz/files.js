// Hostile files: models, runs, checkpoints and tokenizers with bytes, headers and JSON changed at random.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { GlassformerError, load } from 'glassformer';
import { TINY } from '../js/reference.js';

export const about = 'a changed model, run, checkpoint or tokenizer, opened and used';
export const long = 30_000;

const FOLDERS = [
  ...['bert-2l', 'distilbert-2l', 'gpt2-bare-bf16', 'gpt-neo-4l'],
  ...['llama3-2l', 'qwen3-2l', 'mistral-2l-window', 'pythia-2l-f16', 'gemma-2l-bf16', 'phi3-2l-window'],
];
/** Hang guard, and what opening may take of the engine's memory: a fixed part and a multiple of the file's bytes. */
const LONGEST = 20_000;
const [FIXED, TIMES] = [2 ** 24, 64];
const ODD = [
  ...[0, -0, 1, -1, 1.5, 1e-45, 1e38, 1e308, NaN, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 31), 65536, 64, 1e9],
  ...['', 'x', '\u0000', '__proto__', 'constructor', '(a+)+$', 'data:text/javascript,1', null, true, false],
  ...[[], {}, [[]], [-1], [2 ** 31, 2], { length: 1e9 }, { worker: 'x.mjs', workers: 2 }, { $object: 1 }],
];
const KEYS = ['worker', 'workers', 'shards', 'wasm', '__proto__', 'constructor', 'length', 'toString', 'seed', 'steps'];

/** Whole numbers below n from a seed (mulberry32). @param {number} seed */
export function generator(seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

/** @typedef {ReturnType<typeof generator>} Below */

/**
 * Some place in a value gets another value, name or neighbour.
 * @param {any} value @param {Below} below @returns {any}
 */
function changed(value, below) {
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || value === null || below(8) === 0) return ODD[below(ODD.length)];
  const entries = Object.entries(value);
  if (!entries.length)
    return isList ? [ODD[below(ODD.length)]] : { [KEYS[below(KEYS.length)]]: ODD[below(ODD.length)] };
  const at = below(entries.length);
  const [key, inner] = entries[at];
  const how = below(6);
  if (how === 0) entries.splice(at, 1);
  else if (how === 1) entries.push([KEYS[below(KEYS.length)], ODD[below(ODD.length)]]);
  else if (how === 2) entries[at] = [KEYS[below(KEYS.length)], inner];
  else if (how === 3) entries[at] = [key, entries[below(entries.length)][1]];
  else entries[at] = [key, changed(inner, below)];
  return isList ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** @param {any} json @param {Below} below */
function severalTimes(json, below) {
  for (let times = 1 + below(3); times > 0; times--) json = changed(json, below);
  return json;
}

/**
 * A safetensors file with other bytes, another end, header, metadata or number.
 * @param {Uint8Array} file @param {Below} below
 */
function mutated(file, below) {
  const bytes = Uint8Array.from(file);
  const view = new DataView(bytes.buffer);
  const body = 8 + Number(view.getBigUint64(0, true));
  const how = below(6);
  if (how === 0) for (let i = 1 + below(8); i > 0; i--) bytes[below(bytes.length)] ^= 1 << below(8);
  else if (how === 1) return bytes.subarray(0, below(bytes.length));
  else if (how === 2) view.setFloat32(body + 4 * below((bytes.length - body) >> 2), Number(ODD[below(16)]), true);
  else if (how === 3) bytes[below(Math.min(body, bytes.length))] = 32 + below(95);
  else {
    let header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, body)));
    const said = header.__metadata__ ?? {};
    const key = Object.keys(said)[below(Object.keys(said).length || 1)];
    if (how === 4 || !key) header = severalTimes(header, below);
    else {
      let text = said[key];
      try {
        text = JSON.stringify(severalTimes(JSON.parse(text), below));
      } catch {
        text = String(ODD[below(ODD.length)]);
      }
      header.__metadata__ = { ...said, [key]: text };
    }
    const text = new TextEncoder().encode(JSON.stringify(header) ?? '');
    const whole = new Uint8Array(8 + text.length + bytes.length - body);
    new DataView(whole.buffer).setBigUint64(0, BigInt(text.length), true);
    whole.set(text, 8);
    whole.set(bytes.subarray(body), 8 + text.length);
    return whole;
  }
  return bytes;
}

/** @param {{count: number, seed: number}} options */
export async function run({ count, seed }) {
  const gf = await load({ variant: 'simd' });
  const probe = gf.createModel({ ...TINY, vocabulary: 9, seed: 4 });
  const sees = () => Buffer.from(probe.forward({ ids: [1, 5, 2] }).logits.data.slice().buffer).toString('hex');
  const wanted = sees();
  const made = gf.createModel({
    kind: 'encoder',
    vocabulary: 5,
    d_model: 8,
    heads: 2,
    d_ff: 8,
    layers: 1,
    head: 'linear',
  });
  const trainer = made.trainer({ learningRate: 0.01, shards: 1, frozen: ['tok_emb'] });
  const batch = { ids: [1, 2, 3, 4], labels: [2, 3, 4, 1] };
  trainer.step(batch);
  const files = [
    await made.save({ vocabulary: ['a', 'b', 'c', 'd', 'e'], recipe: { task: 'x', of: [1] } }),
    await trainer.save(),
  ];
  made.free();
  const folders = FOLDERS.map((name) => {
    const [config, weights, tokenizer] = ['config.json', 'model.safetensors', 'tokenizer.json'].map((file) =>
      readFileSync(new URL(`../checkpoints/${name}/${file}`, import.meta.url)),
    );
    return { config: JSON.parse(String(config)), weights, tokenizer: JSON.parse(String(tokenizer)) };
  });

  /** @param {Below} below @returns {any} */
  function draw(below) {
    const kind = below(4);
    if (kind < 2) {
      const file = mutated(files[kind], below);
      return below(2) ? file : new Blob([/** @type {any} */ (file)]);
    }
    /** @type {any} */
    const folder = { ...folders[below(folders.length)] };
    if (kind === 2) folder.weights = Buffer.from(mutated(folder.weights, below));
    else if (below(2)) folder.config = severalTimes(folder.config, below);
    else folder.tokenizer = severalTimes(folder.tokenizer, below);
    // As bytes: a parsed string would be an address, which the caller chooses and no file.
    for (const name of ['config', 'tokenizer']) folder[name] = Buffer.from(JSON.stringify(folder[name]));
    return folder;
  }

  /** @type {Record<string, number>} */
  const refused = {};
  let [opened, slowest, executed, settled] = [0, 0, 0, 0];
  const { fetch, Worker } = /** @type {any} */ (globalThis);
  const forbidden = () => {
    executed++;
    throw new Error('a file started something');
  };
  Object.assign(globalThis, { fetch: forbidden, Worker: class { constructor() { forbidden(); } } }); // prettier-ignore
  try {
    for (let i = 0; i < count; i++) {
      const which = `seed ${seed}, case ${i}`;
      const source = draw(generator(seed * 1_000_003 + i));
      const bytes = (source.size ?? source.length ?? source.weights.length) + (source.tokenizer?.length ?? 0);
      const [before, start] = [gf.memoryBytes, performance.now()];
      let found;
      try {
        found = await gf.loadModel(source);
        opened++;
        const { config } = found.model;
        if (found.trainer) await found.trainer.step(batch);
        const ids = found.tokenizer?.encode('The creek was cold.').ids ?? [1, 2];
        found.model.forward({ ids: ids.slice(0, config.maxLength) });
      } catch (error) {
        const { code, stack } = /** @type {any} */ (error);
        assert.ok(error instanceof GlassformerError, `${which}: ${stack}`);
        refused[code] = (refused[code] ?? 0) + 1;
      } finally {
        found?.model.free();
      }
      const milliseconds = performance.now() - start;
      slowest = Math.max(slowest, milliseconds);
      assert.ok(milliseconds < LONGEST, `${which}: ${milliseconds} ms for ${bytes} bytes`);
      assert.ok(
        gf.memoryBytes - before <= FIXED + TIMES * bytes,
        `${which}: ${gf.memoryBytes - before} of ${bytes} bytes`,
      );
      assert.equal(sees(), wanted, `${which}: another model changed`);
      assert.equal(executed, 0, `${which}: something was started`);
      if (i === 200) settled = gf.memoryBytes;
      if (i > 200) assert.ok(gf.memoryBytes <= settled + 2 * FIXED, `${which}: memory grows to ${gf.memoryBytes}`);
    }
  } finally {
    Object.assign(globalThis, { fetch, Worker });
    if (!Worker) delete (/** @type {any} */ (globalThis).Worker);
    probe.free();
  }
  return { opened, refused, slowest: Math.round(slowest), memory: gf.memoryBytes };
}
