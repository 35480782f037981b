// A checkpoint of GPT-2's size with seeded weights, normal with deviation .02, as Hugging Face lays it out (with its
// masks), or of BERT-base's, or as `model.save` does:
//
//   node tests/checkpoints/make-big.mjs FOLDER [--dtype F16 | BF16] [--format bert | glassformer] [--layers 12]
//     [--d_model 768] [--heads 12] [--vocabulary 50257] [--length 1024] [--seed 1] [--tokenizer]
//
// writes FOLDER/model.safetensors, FOLDER/config.json and, where asked, FOLDER/tokenizer.json of all its tokens: 548 MB
// at F32 by default, 124 million parameters. Files like it are never tracked. Written tensor by tensor: it needs no
// more memory than its largest tensor.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bytePairs, wordPieces } from './big-tokenizer.mjs';

export const SIZES = { layers: 12, d_model: 768, heads: 12, vocabulary: 50_257, length: 1024 };

const BERT_SIZES = { ...SIZES, vocabulary: 30_522, length: 512 };

/** @typedef {typeof SIZES} Sizes */
/** @typedef {'normal' | 'ones' | 'zeros' | 'mask'} Fill */

/** GPT-2's tensors, by the names of Hugging Face: Conv1D has [in, out]. @param {Sizes} sizes */
function gpt2({ layers, d_model: d, vocabulary, length }) {
  /** @type {[string, number[], Fill][]} */
  const tensors = [
    ['wte.weight', [vocabulary, d], 'normal'],
    ['wpe.weight', [length, d], 'normal'],
  ];
  const linear = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) =>
    tensors.push([`${name}.weight`, [from, to], 'normal'], [`${name}.bias`, [to], 'zeros']);
  const norm = (/** @type {string} */ name) =>
    tensors.push([`${name}.weight`, [d], 'ones'], [`${name}.bias`, [d], 'zeros']);
  for (let i = 0; i < layers; i++) {
    norm(`h.${i}.ln_1`);
    tensors.push([`h.${i}.attn.bias`, [1, 1, length, length], 'mask']);
    linear(`h.${i}.attn.c_attn`, d, 3 * d);
    linear(`h.${i}.attn.c_proj`, d, d);
    norm(`h.${i}.ln_2`);
    linear(`h.${i}.mlp.c_fc`, d, 4 * d);
    linear(`h.${i}.mlp.c_proj`, 4 * d, d);
  }
  norm('ln_f');
  return tensors;
}

/** BERT's tensors, with its masked-word head. @param {Sizes} sizes */
function bert({ layers, d_model: d, vocabulary, length }) {
  /** @type {[string, number[], Fill][]} */
  const tensors = [];
  const table = (/** @type {string} */ name, /** @type {number} */ rows) =>
    tensors.push([`bert.embeddings.${name}_embeddings.weight`, [rows, d], 'normal']);
  const linear = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) =>
    tensors.push([`${name}.weight`, [to, from], 'normal'], [`${name}.bias`, [to], 'zeros']);
  const norm = (/** @type {string} */ name) =>
    tensors.push([`${name}.LayerNorm.weight`, [d], 'ones'], [`${name}.LayerNorm.bias`, [d], 'zeros']);
  table('word', vocabulary);
  table('position', length);
  table('token_type', 2);
  norm('bert.embeddings');
  for (let i = 0; i < layers; i++) {
    const at = `bert.encoder.layer.${i}`;
    for (const name of ['query', 'key', 'value']) linear(`${at}.attention.self.${name}`, d, d);
    linear(`${at}.attention.output.dense`, d, d);
    norm(`${at}.attention.output`);
    linear(`${at}.intermediate.dense`, d, 4 * d);
    linear(`${at}.output.dense`, 4 * d, d);
    norm(`${at}.output`);
  }
  linear('cls.predictions.transform.dense', d, d);
  norm('cls.predictions.transform');
  tensors.push(['cls.predictions.bias', [vocabulary], 'zeros']);
  return tensors;
}

/** GPT-2's model in this project's names. @param {Sizes} sizes */
function glassformer({ layers, d_model: d, vocabulary, length }) {
  /** @type {[string, number[], Fill][]} */
  const tensors = [
    ['tok_emb.weight', [vocabulary, d], 'normal'],
    ['pos_emb.weight', [length, d], 'normal'],
  ];
  for (let i = 0; i < layers; i++) {
    const at = `decoder.layers.${i}.`;
    tensors.push(
      [`${at}self_attn.in_proj_weight`, [3 * d, d], 'normal'],
      [`${at}self_attn.in_proj_bias`, [3 * d], 'zeros'],
      [`${at}self_attn.out_proj.weight`, [d, d], 'normal'],
      [`${at}self_attn.out_proj.bias`, [d], 'zeros'],
      [`${at}linear1.weight`, [4 * d, d], 'normal'],
      [`${at}linear1.bias`, [4 * d], 'zeros'],
      [`${at}linear2.weight`, [d, 4 * d], 'normal'],
      [`${at}linear2.bias`, [d], 'zeros'],
    );
    for (const norm of ['norm1', 'norm2'])
      tensors.push([`${at}${norm}.weight`, [d], 'ones'], [`${at}${norm}.bias`, [d], 'zeros']);
  }
  tensors.push(['decoder.norm.weight', [d], 'ones'], ['decoder.norm.bias', [d], 'zeros']);
  return tensors;
}

/** The settings of GPT-2. @param {Sizes} sizes */
export const configOf = ({ layers, d_model, heads, vocabulary, length }) => ({
  kind: 'decoder',
  vocabulary,
  d_model,
  heads,
  layers,
  d_ff: 4 * d_model,
  maxLength: length,
  positions: 'learned',
  embeddingScale: false,
  norm: 'pre',
  finalNorm: true,
  activation: 'gelu-tanh',
  head: 'tied',
  headBias: false,
});

/** config.json of Hugging Face. @param {Sizes} sizes */
const huggingFace = ({ layers, d_model, heads, vocabulary, length }) => ({
  model_type: 'gpt2',
  architectures: ['GPT2LMHeadModel'],
  activation_function: 'gelu_new',
  n_layer: layers,
  n_embd: d_model,
  n_head: heads,
  n_positions: length,
  n_ctx: length,
  vocab_size: vocabulary,
  layer_norm_epsilon: 1e-5,
});

/** @param {Sizes} sizes */
const bertConfig = ({ layers, d_model, heads, vocabulary, length }) => ({
  model_type: 'bert',
  architectures: ['BertForMaskedLM'],
  hidden_size: d_model,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  intermediate_size: 4 * d_model,
  hidden_act: 'gelu',
  max_position_embeddings: length,
  type_vocab_size: 2,
  vocab_size: vocabulary,
  layer_norm_eps: 1e-12,
});

const FORMATS = {
  huggingface: { sizes: SIZES, tensors: gpt2, config: huggingFace, tokenizer: bytePairs },
  bert: { sizes: BERT_SIZES, tensors: bert, config: bertConfig, tokenizer: wordPieces },
  glassformer: { sizes: SIZES, tensors: glassformer, config: configOf, tokenizer: bytePairs },
};

/** Normal numbers of a seed: xorshift, Box and Muller. @param {number} seed */
function normals(seed) {
  let state = (seed * 2654435769) | 1;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 1) / (2 ** 32 + 1);
  };
  for (let i = 0; i < 20; i++) uniform();
  return (/** @type {Float32Array} */ data, /** @type {number} */ deviation) => {
    for (let i = 0; i < data.length; i += 2) {
      const radius = deviation * Math.sqrt(-2 * Math.log(uniform()));
      const angle = 2 * Math.PI * uniform();
      data[i] = radius * Math.cos(angle);
      if (i + 1 < data.length) data[i + 1] = radius * Math.sin(angle);
    }
  };
}

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** Bits of the half nearest to a number below 65,504. @param {number} number */
function half(number) {
  float[0] = number;
  const sign = (word[0] >>> 16) & 0x8000;
  const exponent = ((word[0] >>> 23) & 255) - 112;
  if (exponent <= 0) return sign | Math.round(Math.abs(number) * 2 ** 24); // a subnormal
  return sign | (((exponent << 23) + (word[0] & 0x7fffff) + 0xfff + ((word[0] >>> 13) & 1)) >>> 13);
}

/**
 * @param {string} folder
 * @param {{dtype?: string, format?: string, seed?: number, tokenizer?: boolean} & Partial<Sizes>} [options]
 * @returns {{file: string, config: string, bytes: number, parameters: number}}
 */
export function makeBig(folder, { dtype = 'F32', format = 'huggingface', seed = 1, tokenizer, ...given } = {}) {
  const form = FORMATS[/** @type {keyof typeof FORMATS} */ (format)];
  if (!form) throw new Error(`--format must be one of ${Object.keys(FORMATS).join(', ')}, got ${format}`);
  const sizes = { ...form.sizes, ...given };
  const tensors = form.tensors(sizes);
  const width = { F32: 4, F16: 2, BF16: 2 }[dtype] ?? 0;
  if (!width) throw new Error(`--dtype must be F32, F16 or BF16, got ${dtype}`);
  let end = 0;
  let parameters = 0;
  /** @type {Record<string, object>} */
  const header = { __metadata__: { format: 'pt' } };
  if (format === 'glassformer') {
    header.__metadata__ = { 'glassformer.version': '1', 'glassformer.config': JSON.stringify(configOf(sizes)) };
  }
  for (const [name, shape, fill] of tensors) {
    const count = shape.reduce((product, size) => product * size, 1);
    if (fill !== 'mask') parameters += count;
    header[name] = { dtype, shape, data_offsets: [end, (end += count * width)] };
  }
  mkdirSync(folder, { recursive: true });
  const [file, config] = [join(folder, 'model.safetensors'), join(folder, 'config.json')];
  writeFileSync(config, JSON.stringify(form.config(sizes), null, 2));
  if (tokenizer) writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(form.tokenizer(sizes.vocabulary)));
  const out = openSync(file, 'w');
  const draw = normals(seed);
  try {
    let text = JSON.stringify(header);
    text = text.padEnd(Math.ceil(text.length / 8) * 8);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    writeSync(out, length);
    writeSync(out, text);
    for (const [, shape, fill] of tensors) {
      const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
      if (fill === 'normal') draw(data, 0.02);
      if (fill === 'ones') data.fill(1);
      if (fill === 'mask') for (let i = 0, n = shape[3]; i < n; i++) data.fill(1, i * n, i * n + i + 1);
      let bytes = new Uint8Array(data.buffer);
      if (width === 2) {
        const halves = new Uint16Array(data.length);
        const words = new Uint16Array(data.buffer);
        for (let i = 0; i < data.length; i++) halves[i] = dtype === 'F16' ? half(data[i]) : words[2 * i + 1];
        bytes = new Uint8Array(halves.buffer);
      }
      for (let at = 0; at < bytes.length;) at += writeSync(out, bytes, at);
    }
  } finally {
    closeSync(out);
  }
  return { file, config, bytes: 8 + Math.ceil(JSON.stringify(header).length / 8) * 8 + end, parameters };
}

if (process.argv[1] === import.meta.filename) {
  const number = { type: /** @type {const} */ ('string') };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      dtype: number,
      format: number,
      seed: number,
      tokenizer: { type: 'boolean' },
      ...Object.fromEntries(Object.keys(SIZES).map((name) => [name, number])),
    },
  });
  const [folder] = positionals;
  if (!folder) throw new Error('which folder?');
  const given = Object.entries(values).map(([name, value]) => [
    name,
    /^(dtype|format|tokenizer)$/.test(name) ? value : Number(value),
  ]);
  console.log(makeBig(folder, Object.fromEntries(given)));
}
