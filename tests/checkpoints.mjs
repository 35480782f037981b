// node tests/checkpoints.mjs [FOLDER]     opens the checkpoints of a folder (tests/checkpoints)
//
// Every case of the folder, in the format of tests/checkpoints/make_hf.py, through the public API, in both builds of
// the module, from its folder, as a pytorch_model.bin and by its name from a hub: tokens and ids, embeddings, every
// layer's hidden states and attention weights, logits. Each is counted; a line says how many of a case passed. The last
// line is `N passed, N failed`; the exit code is 1 when anything failed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load } from 'glassformer';
import { filesIn, startHub } from './hub.js';
import { savedOf, writeTorch } from './js/torch-writer.js';
import { entriesOf } from './safetensors.js';

const VARIANTS = /** @type {const} */ (['simd', 'relaxed']);
const FLAG = '--experimental-wasm-relaxed-simd'; // Node 20 needs it, later ones do not know it

/** @typedef {{data: ArrayLike<number>, shape: number[]}} Expected */

/**
 * What PyTorch computed, in double, which the package would round.
 * @param {string} path
 * @returns {Map<string, Expected>}
 */
function readExpected(path) {
  return new Map(
    entriesOf(readFileSync(path)).map(([name, { dtype, shape, bytes }]) => {
      const { buffer } = new Uint8Array(bytes);
      if (dtype !== 'F64' && dtype !== 'I64') throw new Error(`${name}: dtype ${dtype}`);
      return [
        name,
        { data: dtype === 'F64' ? new Float64Array(buffer) : Array.from(new BigInt64Array(buffer), Number), shape },
      ];
    }),
  );
}

/** The cases of a folder, or the folder itself where it is one. @param {string} folder */
function casesOf(folder) {
  if (existsSync(join(folder, 'case.json'))) return [folder];
  const names = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory());
  return names.map(({ name }) => join(folder, name)).filter((path) => existsSync(join(path, 'case.json')));
}

/**
 * The tensor of the module that the case calls so.
 * @param {string} name hidden.N, attention.N or logits
 * @param {any} config
 * @param {number} hidden how many of them the case has
 */
function nameOf(name, config, hidden) {
  if (name === 'logits') return 'logits';
  const stack = config.kind;
  const [what, number] = name.split('.');
  const at = Number(number);
  if (what === 'attention') return `${stack}.layers.${at}.self_attn.weights`;
  if (at === 0) return config.embeddingNorm ? 'emb_ln.out' : `${stack}.input`;
  if (config.finalNorm && at === hidden - 1) return `${stack}.norm.out`;
  return `${stack}.layers.${at - 1}.out`;
}

/**
 * The largest difference; Infinity for other sizes and for what is no number.
 * @param {any} ours
 * @param {Expected} truth
 */
function distance(ours, truth) {
  const dense = ours.shape.filter((/** @type {number} */ size) => size !== 1).join();
  if (dense !== truth.shape.filter((size) => size !== 1).join()) return Infinity;
  let largest = 0;
  for (let i = 0; i < truth.data.length; i++) {
    const apart = Math.abs(ours.data[i] - truth.data[i]);
    if (!(apart <= largest)) largest = Number.isFinite(apart) ? apart : Infinity;
  }
  return largest;
}

/**
 * How a case is opened: its folder, the same with its weights as PyTorch saves them, its name on a hub.
 * @param {string} path
 * @param {Awaited<ReturnType<typeof startHub>>} hub
 * @returns {[string, any[]][]} arguments of loadModel
 */
function waysOf(path, { endpoint }) {
  const folder = pathToFileURL(`${resolve(path)}/`);
  const { 'model.safetensors': weights, ...others } = filesIn(folder);
  const twin = { ...others, 'pytorch_model.bin': writeTorch(savedOf(weights)) };
  return [
    ['its folder', [folder]],
    ['pytorch_model.bin', [Object.entries(twin).map(([name, bytes]) => new File([bytes], name))]],
    ['its name', [`hub:case/${basename(path)}`, { endpoint }]],
  ];
}

/**
 * One case in one variant: what passed and what did not, with its share of the tolerance.
 * @param {any} gf
 * @param {string} path
 * @param {any[]} way arguments of loadModel
 * @returns {Promise<{name: string, used: number, why?: string}[]>} used: of the tolerance; above 1 it failed
 */
async function check(gf, path, way) {
  const { text, tokens, ids, types, tolerance } = JSON.parse(readFileSync(join(path, 'case.json'), 'utf8'));
  const expected = readExpected(join(path, 'expected.safetensors'));
  const { model, tokenizer } = await gf.loadModel(...way);
  try {
    const said = tokenizer.encode(text);
    const isSame = JSON.stringify([said.tokens, said.ids]) === JSON.stringify([tokens, ids]);
    const results = [{ name: 'tokens', used: isSame ? 0 : Infinity, ...(!isSame && { why: said.tokens.join(' ') }) }];
    model.forward({ ids, ...(model.config.types > 0 && { typeIds: types ?? said.types }), capture: true });
    const names = Object.keys(tolerance);
    const hidden = names.filter((name) => name.startsWith('hidden.')).length;
    for (const name of names) {
      const truth = expected.get(name);
      if (!truth) throw new Error(`expected.safetensors lacks ${name}`);
      results.push({ name, used: distance(model.tensor(nameOf(name, model.config, hidden)), truth) / tolerance[name] });
    }
    return results;
  } finally {
    model.free();
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
      try {
        const results = await check(gf, path, way);
        const wrong = results.filter(({ used }) => !(used <= 1));
        for (const { name: tensor, used, why } of wrong)
          fail(`${name} from ${how}, ${tensor}: ${why ?? `${used.toPrecision(3)} times the tolerance`}`);
        const numbers = JSON.stringify(results);
        if (before && numbers !== before) fail(`${name} from ${how}: not the numbers of its folder`);
        before ||= numbers;
        const passed = results.length - wrong.length;
        count.passed += passed;
        const used = Math.max(...results.map((each) => each.used));
        console.log(
          `${name} from ${how}: ${passed} of ${results.length}, ${(100 * used).toFixed(0)} % of the tolerance`,
        );
      } catch (error) {
        fail(`${name} from ${how}: ${message(error)}`);
      }
    }
  }
}
