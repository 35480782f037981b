// Compares a checkpoint with PyTorch's results of its folder, through the public API; in Node and on a page.

/**
 * `said`: its case.json, in the format of tests/checkpoints/make_hf.py; `expected`: PyTorch's tensors by name.
 * @typedef {{data: ArrayLike<number>, shape: number[]}} Expected
 * @typedef {{said: any, expected: Map<string, Expected>}} Case
 */

/**
 * The tensors of a safetensors file in double, which the package would round.
 * @param {Uint8Array} file
 * @returns {Map<string, Expected>}
 */
export function readExpected(file) {
  const { buffer, byteOffset } = file;
  const start = 8 + Number(new DataView(buffer, byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, start)));
  delete header.__metadata__;
  return new Map(
    Object.entries(header).map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [from, to],
        },
      ]) => {
        if (dtype !== 'F64' && dtype !== 'I64') throw new Error(`${name}: dtype ${dtype}`);
        const bytes = new Uint8Array(file.subarray(start + from, start + to)).buffer;
        const data = dtype === 'F64' ? new Float64Array(bytes) : Array.from(new BigInt64Array(bytes), Number);
        return [name, { data, shape }];
      },
    ),
  );
}

/**
 * The tensor of the module that the case calls so.
 * @param {string} name hidden.N, attention.N or logits; of an encoder–decoder cross.N and encoder.hidden.N, too
 * @param {any} config
 * @param {string[]} names all of the case
 */
export function nameOf(name, config, names) {
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
export function inputOf({ ids, types, decoderIds }, { config }, encoding) {
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
export function distance(ours, truth) {
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
 * One case: what passed and what did not, with its share of the tolerance.
 * @param {any} gf
 * @param {Case} one
 * @param {any[]} way arguments of loadModel
 * @returns {Promise<{name: string, used: number, why?: string}[]>} used: of the tolerance; above 1 it failed
 */
export async function check(gf, { said, expected }, way) {
  const { tolerance } = said;
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
export const isApart = (name) => name.startsWith('batch.') || name === ROUNDED;

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
