// Trains the tiny GPT-2 and BERT that the README and the guides open: node tests/checkpoints/make-tiny.mjs [OUT], after
// the build. The simd variant makes the same files on every machine.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { load } from 'glassformer';
import { IGNORE } from 'glassformer/tasks';
import { loadTokenizer } from 'glassformer/tokenizers';

const HERE = new URL('../../src/docs/checkpoints/', import.meta.url);
/** The sentences that each learns: of BERT's vocabulary, which is small, only whole words. */
const SENTENCES = {
  gpt2: [
    'The creek was cold and the dog wanted to jump over it.',
    'The river was deep because it was old.',
    'The dog was tired and sat on the mat.',
    'The cat sat on the fence.',
    'The spunky horse wanted to jump over the river.',
  ],
  bert: [
    'the creek was cold',
    'the river was deep',
    'the cat sat on the mat',
    'the spunky dog wanted to jump over it',
    'the dog wanted to jump over the creek',
  ],
};
const EPOCHS = 400;

/** @param {string} name */
const tokenizerOf = (name) => loadTokenizer(JSON.parse(readFileSync(new URL(`${name}/tokenizer.json`, HERE), 'utf8')));

/**
 * Trains on every row that the texts give, and gives the model's files.
 * @param {Record<string, any>} config
 * @param {(epoch: number) => {ids: number[], labels: number[]}[]} rows
 */
async function trained(config, rows) {
  const gf = await load({ variant: 'simd' });
  const shape = { d_model: 16, heads: 4, layers: 2, maxLength: 64, positions: 'learned', embeddingScale: false };
  const model = gf.createModel({ ...shape, head: 'tied', ...config, seed: 1 });
  const trainer = model.trainer({ optimizer: 'adamw', learningRate: 0.002, clip: 1 });
  for (let epoch = 0; epoch < EPOCHS; epoch++) for (const row of rows(epoch)) trainer.step(row);
  return await model.save({ format: 'huggingface', float16: true });
}

/** Each token from those before it. */
async function gpt2() {
  const tokenizer = await tokenizerOf('gpt2');
  const texts = SENTENCES.gpt2.map((text) => [...tokenizer.encode(`${text}<|endoftext|>`).ids]);
  const rows = texts.map((ids) => ({ ids: ids.slice(0, -1), labels: ids.slice(1) }));
  const block = { norm: 'pre', finalNorm: true, activation: 'gelu-tanh', headBias: false };
  return trained({ kind: 'decoder', vocabulary: tokenizer.size, d_ff: 64, ...block }, () => rows);
}

/** One word of each text, which [MASK] hides: another one in each epoch. */
async function bert() {
  const tokenizer = await tokenizerOf('bert');
  const [mask] = tokenizer.encode('[MASK]').ids.slice(1);
  const texts = SENTENCES.bert.map((text) => [...tokenizer.encode(text).ids]);
  const rows = (/** @type {number} */ epoch) =>
    texts.map((ids) => {
      const at = 1 + (epoch % (ids.length - 2));
      return { ids: ids.with(at, mask), labels: ids.map((id, i) => (i === at ? id : IGNORE)) };
    });
  const block = { norm: 'post', activation: 'gelu', types: 2, embeddingNorm: true, headTransform: true };
  return trained({ kind: 'encoder', vocabulary: tokenizer.size, d_ff: 32, ...block }, rows);
}

const out = process.argv[2] ? pathToFileURL(`${process.argv[2]}/`) : HERE;
for (const [name, make] of Object.entries({ gpt2, bert })) {
  const folder = new URL(`${name}/`, out);
  mkdirSync(folder, { recursive: true });
  for (const [file, bytes] of Object.entries(await make())) writeFileSync(new URL(file, folder), bytes);
}
