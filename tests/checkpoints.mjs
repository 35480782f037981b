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
import { filesIn, startHub } from './hub.js';
import { savedOf, writeTorch } from './js/torch-writer.js';
import { entriesOf } from './safetensors.js';

const VARIANTS = /** @type {const} */ (['simd', 'relaxed']);
const FLAG = '--experimental-wasm-relaxed-simd'; // Node 20 needs it, later ones do not know it

/**
 * Digits of a fraction, the least exponent of a normal number, and how far from PyTorch's the last tensor may be, as a
 * share of its largest number.
 */
const HALVES = /** @type {const} */ ({ bf16: [7, -126, 0.02], f16: [10, -14, 0.0025] });

/** @typedef {{data: ArrayLike<number>, shape: number[]}} Expected */

/**
 * Reads PyTorch's results in double, which the package would round.
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
 * @param {string} name hidden.N, attention.N or logits; of an encoder–decoder cross.N and encoder.hidden.N, too
 * @param {any} config
 * @param {string[]} names all of the case
 */
function nameOf(name, config, names) {
  if (name === 'logits') return 'logits';
  const isBoth = config.kind === 'encoder-decoder';
  const isSource = name.startsWith('encoder.');
  const stack = !isBoth ? config.kind : isSource ? 'encoder' : 'decoder';
  const [what, number] = name.replace('encoder.', '').split('.');
  const at = Number(number);
  if (what === 'attention') return `${stack}.layers.${at}.self_attn.weights`;
  if (what === 'cross') return `${stack}.layers.${at}.multihead_attn.weights`;
  const side = !isBoth ? '' : isSource ? 'src_' : 'tgt_';
  if (at === 0) return config.embeddingNorm ? `${side}emb_ln.out` : `${stack}.input`;
  const isLast = !names.includes(name.replace(/\d+$/, String(at + 1)));
  if (config.finalNorm && isLast) return `${stack}.norm.out`;
  return `${stack}.layers.${at - 1}.out`;
}

/** Tensors of a padded batch, as the module calls them. @param {string} name @param {any} config */
function nameInBatch(name, { decoderLayers }) {
  if (name === 'batch.encoder') return 'encoder.out';
  return name === 'batch.cross' ? `decoder.layers.${decoderLayers - 1}.multihead_attn.weights` : 'logits';
}

/**
 * The inputs of a case.
 * @param {{ids: number[], types?: number[], decoderIds?: number[]}} said
 * @param {any} model
 * @param {any} encoding of its text
 */
function inputOf({ ids, types, decoderIds }, { config }, encoding) {
  if (decoderIds) return { sourceIds: ids, targetIds: decoderIds, capture: true };
  return { ids, ...(config.types > 0 && { typeIds: types ?? encoding.typeIds }), capture: true };
}

/** Rows of a matrix. @param {Expected | undefined} matrix */
const rowsOf = (matrix) => {
  const { data, shape } = /** @type {Expected} */ (matrix);
  const all = Array.from(data);
  return Array.from({ length: shape[0] }, (_, row) => all.slice(row * shape[1], (row + 1) * shape[1]));
};

/** Sources of several lengths. @param {Map<string, Expected>} expected */
const batchOf = (expected) => ({
  sourceIds: rowsOf(expected.get('batch.ids')),
  sourcePadding: rowsOf(expected.get('batch.mask')).map((row) => row.map((seen) => 1 - seen)),
  targetIds: rowsOf(expected.get('batch.decoder_ids')),
  capture: true,
});

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
 * @param {string} name @param {unknown} ours @param {unknown} truth
 * @returns {{name: string, used: number, why?: string}}
 */
function same(name, ours, truth) {
  const [given, wanted] = [ours, truth].map((each) => JSON.stringify(each));
  return given === wanted ? { name, used: 0 } : { name, used: Infinity, why: `${given}, not ${wanted}` };
}

/**
 * @param {any} tokenizer
 * @param {{text: string, ids: number[], bare: number[], decoded?: string, plain?: string}[]} texts
 */
function textsOf(tokenizer, texts) {
  const ours = texts.map(({ text, ids, decoded, plain }) => ({
    ids: tokenizer.encode(text).ids,
    bare: tokenizer.encode(text, { special: false }).ids,
    ...(decoded !== undefined && { decoded: tokenizer.decode(ids, { special: true }) }),
    ...(plain !== undefined && { plain: tokenizer.decode(ids) }),
  }));
  const theirs = texts.map(({ ids, bare, decoded, plain }) => ({ ids, bare, decoded, plain }));
  return same('texts', ours, theirs);
}

/**
 * One case in one variant: what passed and what did not, with its share of the tolerance.
 * @param {any} gf
 * @param {string} path
 * @param {any[]} way arguments of loadModel
 * @returns {Promise<{name: string, used: number, why?: string}[]>} used: of the tolerance; above 1 it failed
 */
async function check(gf, path, way) {
  const said = JSON.parse(readFileSync(join(path, 'case.json'), 'utf8'));
  const { tolerance } = said;
  const expected = readExpected(join(path, 'expected.safetensors'));
  const { model, tokenizer, rules } = await gf.loadModel(...way);
  try {
    const encoding = tokenizer?.encode(said.text);
    const results = tokenizer ? [same('tokens', [encoding.tokens, encoding.ids], [said.tokens, said.ids])] : [];
    const add = (/** @type {string} */ name, /** @type {string} */ at) => {
      const truth = expected.get(name);
      if (!truth) throw new Error(`expected.safetensors lacks ${name}`);
      results.push({ name, used: distance(model.tensor(at), truth) / tolerance[name] });
    };
    if (tokenizer && said.texts) results.push(textsOf(tokenizer, said.texts));
    model.forward(inputOf(said, model, encoding));
    const names = Object.keys(tolerance);
    const ofBatch = names.filter((name) => name.startsWith('batch.'));
    for (const name of names) if (!isApart(name)) add(name, nameOf(name, model.config, names));
    if (names.includes(ROUNDED)) {
      model.forward({ ...inputOf(said, model, encoding), patches: [roundedScale(said, model)] });
      add(ROUNDED, 'logits');
    }
    if (ofBatch.length) model.forward(batchOf(expected));
    for (const name of ofBatch) add(name, nameInBatch(name, model.config));
    for (const each of said.generation ?? []) results.push(...(await generated(model, said, each, rules)));
    return results;
  } finally {
    model.free();
  }
}

/** Logits where the factor of the embeddings is rounded, as a run in bfloat16 does it. */
const ROUNDED = 'bfloat16_scale.logits';

/** Tensors of other passes. @param {string} name */
const isApart = (name) => name.startsWith('batch.') || name === ROUNDED;

/** The embeddings with that factor. @param {any} said @param {any} model after a pass with capture */
function roundedScale({ embedScale: { bfloat16, float32 } }, model) {
  const { data } = model.tensor('decoder.input');
  return { name: 'decoder.input', value: data.map((/** @type {number} */ x) => (x * bfloat16) / float32) };
}

/**
 * The input of a call of generate: a text that goes on until it is as long as the case says, or a source.
 * @param {any} said @param {number | undefined} source
 */
function promptOf({ sources, ids, generationConfig }, source) {
  if (source !== undefined) return [{ sourceIds: sources[source].ids }, {}];
  return [{ ids }, { maxTokens: generationConfig.max_length - ids.length }];
}

/**
 * A call of generate, whose sequences, scores and texts are those of transformers. What the settings leave open, the
 * folder says.
 * @param {any} model
 * @param {any} said
 * @param {{source?: number, settings: Record<string, any>, sequences: number[][], scores?: number[],
 *   texts?: string[]}} given
 * @param {object} [rules] of the folder
 */
async function generated(model, said, { source, settings, sequences, scores, texts }, rules) {
  const { num_beams, length_penalty, early_stopping, num_return_sequences, no_repeat_ngram_size, ...others } = settings;
  const name = `generation${source === undefined ? '' : `.${source}`} ${JSON.stringify(settings)}`;
  if (Object.keys(others).length) throw new Error(`${name}: is not known`);
  const search = { beams: num_beams, lengthPenalty: length_penalty, earlyStopping: early_stopping };
  const ruled = no_repeat_ngram_size && { rules: { ...rules, noRepeat: no_repeat_ngram_size } };
  const [input, length] = promptOf(said, source);
  const found = await model.generate(input, { ...search, ...ruled, ...length, keep: num_return_sequences });
  const all = found.beams ?? [found];
  const written = all.map((/** @type {any} */ { ids, text }) => (texts ? [[...ids], text] : [...ids]));
  const right = same(
    name,
    written,
    sequences.map((ids, i) => (texts ? [ids, texts[i]] : ids)),
  );
  if (!scores) return [right];
  const furthest = Math.max(...scores.map((score, i) => Math.abs(all[i]?.score - score)));
  return [right, { name: `${name}: scores`, used: furthest / said.scoreTolerance }];
}

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
  const said = JSON.parse(readFileSync(join(path, 'case.json'), 'utf8'));
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
    const truth = /** @type {Expected} */ (readExpected(join(path, 'expected.safetensors')).get(last));
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
      const numbers = await counted(`${name} from ${how}`, () => check(gf, path, way));
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
