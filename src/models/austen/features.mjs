// node src/models/features.mjs austen --text austen.txt [--out FOLDER]
//
// Trains the dictionaries of austen's features, of each layer's neurons and of the stream behind each, on the six
// novels, and writes them in 16 bits: always the same files. Five minutes each.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'glassformer';
import { trainFeatures } from 'glassformer/features';
import { HOW, chaptersOf, isTheText } from './text.mjs';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(`../../../web/models/${path}`, import.meta.url));

/** Sizes by part: a file stays below 1 MB. */
const SIZES = { ffn: { features: 352, active: 16 }, out: { features: 768, active: 16 } };
const TRAINING = { steps: 2000, batch: 256, learningRate: 0.003, heldOut: 0.1, seed: 0 };
const TOKENS = 50_000;
const SHORTEST = 40; // characters of a paragraph
const STRIDE = 7919; // a prime: the paragraphs come from everywhere in the novels

/**
 * Paragraphs from which the model has learned, as ids.
 * @param {string} text @param {import('glassformer').Tokenizer} tokenizer @param {number} longest
 */
function paragraphsOf(text, tokenizer, longest) {
  const lines = chaptersOf(text).learned.flatMap((chapter) => chapter.split('\n'));
  const paragraphs = lines.filter(({ length }) => length >= SHORTEST);
  const ids = [];
  for (let count = 0, i = 0; count < TOKENS; i++) {
    const row = [...tokenizer.encode(paragraphs[(i * STRIDE) % paragraphs.length]).ids].slice(0, longest);
    count += row.length;
    ids.push(row);
  }
  return ids;
}

/** @param {{text?: string, out?: string}} given */
export async function trainAusten({ text: path, out = here('features') }) {
  const text = path && readFileSync(path, 'utf8');
  if (!text || !isTheText(text)) throw new Error(`--text must be the six novels. To get them:\n${HOW}`);
  const gf = await load({ variant: 'simd' });
  const { model, tokenizer } = await gf.loadModel(readFileSync(here('austen.safetensors')));
  const ids = paragraphsOf(text, /** @type {any} */ (tokenizer), Number(model.config.maxLength));
  mkdirSync(out, { recursive: true });
  console.log(`${ids.length} paragraphs, ${ids.flat().length} tokens`);
  for (let layer = 0; layer < Number(model.config.layers); layer++) {
    for (const part of /** @type {const} */ (['ffn', 'out'])) {
      const start = performance.now();
      const at = `decoder.layers.${layer}.${part === 'ffn' ? 'ffn.product' : 'out'}`;
      const found = await trainFeatures(model, { at, ids, ...SIZES[part], ...TRAINING });
      const file = found.save({ float16: true });
      const name = `austen.decoder.${layer}.${part}.safetensors`;
      writeFileSync(join(out, name), file);
      const alive = /** @type {boolean[]} */ (found.alive).filter(Boolean).length;
      const hash = createHash('sha256').update(file).digest('hex').slice(0, 12);
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      const unexplained = Number(found.unexplained).toFixed(3);
      console.log(`${name} ${file.length} bytes, unexplained ${unexplained}, alive ${alive}, ${seconds} s, ${hash}`);
    }
  }
}
