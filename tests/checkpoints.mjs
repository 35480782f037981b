// node tests/checkpoints.mjs [FOLDER]     opens the checkpoints of a folder (tests/checkpoints)
//
// Every case of the folder, in the format of tests/checkpoints/make_hf.py, through the public API, in both builds of
// the module, from its folder, whose weights may be .safetensors or .bin, in one file or several; one model.safetensors
// as a pytorch_model.bin, too; and by its name from a hub: tokens and ids, embeddings, every
// layer's hidden states and attention weights, logits; of an encoder–decoder those of both stacks, cross-attention, a
// padded batch; and what is written greedily and with beams. Then from its folder with weights in 16 bits, against
// float32 arithmetic on the same weights, rounded here: every bit, and near PyTorch's logits. Each is counted; a line
// says how many of a case passed. The last line is `N passed, N failed`; the exit code is 1 when anything failed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load } from 'glassformer';
import { check, distance, inputOf, isApart, nameOf, readExpected } from './checkpoints-check.js';
import { filesIn, startHub } from './hub.js';
import { savedOf, writeTorch } from './js/torch-writer.js';

const VARIANTS = /** @type {const} */ (['simd', 'relaxed']);
const FLAG = '--experimental-wasm-relaxed-simd'; // Node 20 needs it, later ones do not know it

/**
 * Digits of a fraction, the least exponent of a normal number, and how far from PyTorch's the last tensor may be, as a
 * share of its largest number.
 */
const HALVES = /** @type {const} */ ({ bf16: [7, -126, 0.02], f16: [10, -14, 0.0025] });

/** @param {string} path @returns {import('./checkpoints-check.js').Case} */
const caseIn = (path) => ({
  said: JSON.parse(readFileSync(join(path, 'case.json'), 'utf8')),
  expected: readExpected(readFileSync(join(path, 'expected.safetensors'))),
});

/** The cases of a folder, or the folder itself where it is one. @param {string} folder */
function casesOf(folder) {
  if (existsSync(join(folder, 'case.json'))) return [folder];
  const names = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory());
  return names.map(({ name }) => join(folder, name)).filter((path) => existsSync(join(path, 'case.json')));
}

/**
 * The ways to open a case: its folder, the same with its weights as PyTorch saves them, its name on a hub.
 * @param {string} path
 * @param {Awaited<ReturnType<typeof startHub>>} hub
 * @returns {[string, any[]][]} arguments of loadModel
 */
function waysOf(path, { endpoint }) {
  const folder = pathToFileURL(`${resolve(path)}/`);
  const { 'model.safetensors': weights, ...others } = filesIn(folder);
  const twin = weights && { ...others, 'pytorch_model.bin': writeTorch(savedOf(weights)) };
  return [
    ['its folder', [folder]],
    ...(twin ? [twinOf(twin)] : []),
    ['its name', [`hub:case/${basename(path)}`, { endpoint, cache: false }]],
  ];
}

/** @param {Record<string, Buffer>} twin @returns {[string, any[]]} */
const twinOf = (twin) => [
  'pytorch_model.bin',
  [Object.entries(twin).map(([name, bytes]) => new File([/** @type {any} */ (bytes)], name))],
];

/**
 * The nearest number with so many digits, of two the even one.
 * @param {number} number @param {number} digits @param {number} least exponent
 */
function nearest(number, digits, least) {
  const unit = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(number))), least) - digits);
  const units = number / unit;
  const below = Math.floor(units);
  const isUp = units - below > 0.5 || (units - below === 0.5 && below % 2 !== 0);
  return number === 0 ? number : (below + Number(isUp)) * unit;
}

/**
 * A case with weights in 16 bits, as check.
 * @param {any} gf
 * @param {string} path
 * @param {'bf16' | 'f16'} type
 */
async function checkHalves(gf, path, type) {
  const { said, expected } = caseIn(path);
  const [digits, least, share] = HALVES[type];
  const folder = pathToFileURL(`${resolve(path)}/`);
  const { model: wide, tokenizer } = await gf.loadModel(folder, { weights: 'f32' });
  const opened = gf.loadModel(folder, { weights: type });
  const { d_model, heads, headWidth, keyValueHeads } = wide.config;
  const width = headWidth || d_model / heads;
  if ([d_model, heads * width, (keyValueHeads || heads) * width].some((columns) => columns % 16 !== 0)) {
    const { code } = await opened.catch((/** @type {any} */ error) => error);
    return [{ name: 'its refusal', used: code === 'config' ? 0 : Infinity }];
  }
  const { model } = await opened;
  try {
    for (const { name, dtype } of model.tensors()) {
      if (!/^b?float16$/.test(dtype)) continue;
      const { data, shape } = wide.tensor(name);
      const rounded = { data: data.map((/** @type {number} */ each) => nearest(each, digits, least)), shape };
      wide.loadWeights({ [name]: rounded }, { strict: false });
    }
    const input = inputOf(said, model, tokenizer?.encode(said.text));
    for (const each of [model, wide]) each.forward(input);
    const names = Object.keys(said.tolerance).filter((name) => !isApart(name));
    const hidden = names.filter((name) => name.startsWith('hidden.')).length;
    const results = names.map((name) => {
      const at = nameOf(name, model.config, names);
      return { name, used: distance(model.tensor(at), wide.tensor(at)) && Infinity };
    });
    const last = names.includes('logits') ? 'logits' : `hidden.${hidden - 1}`;
    const truth = /** @type {import('./checkpoints-check.js').Expected} */ (expected.get(last));
    const most = Array.from(truth.data).reduce((largest, each) => Math.max(largest, Math.abs(each)), 0);
    const apart = distance(model.tensor(nameOf(last, model.config, names)), truth) / most;
    return [...results, { name: "PyTorch's", used: apart / share }];
  } finally {
    model.free();
    wide.free();
  }
}

await main(process.argv[2] ?? fileURLToPath(new URL('checkpoints', import.meta.url)));

/** @param {string} folder */
async function main(folder) {
  if (!process.execArgv.includes(FLAG) && spawnSync(process.execPath, [FLAG, '-e', '0']).status === 0) {
    const { status } = spawnSync(process.execPath, [FLAG, ...process.argv.slice(1)], { stdio: 'inherit' });
    process.exitCode = status ?? 1;
    return;
  }
  const count = { passed: 0, failed: 0 };
  const fail = (/** @type {string} */ text) => {
    count.failed++;
    console.log(`FAIL ${text}`);
  };
  const message = (/** @type {unknown} */ error) => (error instanceof Error ? error.message : String(error));
  const paths = existsSync(folder) ? casesOf(folder) : [];
  if (!paths.length) fail(`${folder}: no case`);
  const models = paths.map((path) => [`case/${basename(path)}`, filesIn(pathToFileURL(`${resolve(path)}/`))]);
  const hub = await startHub(Object.fromEntries(models));
  for (const variant of VARIANTS) {
    try {
      const gf = await load({ variant });
      for (const path of paths) await one(gf, path);
    } catch (error) {
      fail(`the ${variant} variant cannot run on Node ${process.version}: ${message(error)}`);
    }
  }
  hub.close();
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exitCode = count.failed ? 1 : 0;

  /** @param {import('glassformer').Engine} gf @param {string} path */
  async function one(gf, path) {
    const name = `${basename(path)} (${gf.variant})`;
    let before = '';
    for (const [how, way] of waysOf(path, hub)) {
      const numbers = await counted(`${name} from ${how}`, () => check(gf, caseIn(path), way));
      if (before && numbers !== before) fail(`${name} from ${how}: not the numbers of its folder`);
      before ||= numbers;
    }
    for (const type of /** @type {const} */ (['bf16', 'f16']))
      await counted(`${name} as ${type}`, () => checkHalves(gf, path, type));
  }

  /**
   * Counts what passed.
   * @param {string} what @param {() => ReturnType<typeof check>} action
   * @returns {Promise<string>} the results
   */
  async function counted(what, action) {
    try {
      const results = await action();
      const wrong = results.filter(({ used }) => !(used <= 1));
      for (const { name: tensor, used, why } of wrong)
        fail(`${what}, ${tensor}: ${why ?? `${used.toPrecision(3)} times the tolerance`}`);
      const passed = results.length - wrong.length;
      count.passed += passed;
      const used = Math.max(...results.map((each) => each.used));
      console.log(`${what}: ${passed} of ${results.length}, ${(100 * used).toFixed(0)} % of the tolerance`);
      return JSON.stringify(results);
    } catch (error) {
      fail(`${what}: ${message(error)}`);
      return '';
    }
  }
}
