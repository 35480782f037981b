// The small BERT of tests/checkpoints, as files of the reader's own.
import { readFileSync } from 'node:fs';
import { readSafetensors, writeSafetensors } from 'glassformer';

/** @param {string} file */
export const bert = (file) => readFileSync(new URL(`../../checkpoints/bert-2l/${file}`, import.meta.url));

export const JSONS = { 'config.json': bert('config.json'), 'tokenizer.json': bert('tokenizer.json') };

/** The checkpoint in two parts, with what says which tensor is where. */
export function sharded() {
  const entries = [...readSafetensors(bert('model.safetensors')).tensors];
  const half = entries.length >> 1;
  const parts = [entries.slice(0, half), entries.slice(half)];
  const nameOf = (/** @type {number} */ i) => `model-0000${i + 1}-of-00002.safetensors`;
  const map = parts.flatMap((part, i) => part.map(([name]) => [name, nameOf(i)]));
  return {
    ...JSONS,
    'model.safetensors.index.json': JSON.stringify({ metadata: {}, weight_map: Object.fromEntries(map) }),
    ...Object.fromEntries(parts.map((part, i) => [nameOf(i), writeSafetensors(new Map(part))])),
  };
}
