// Files of GPT-2's size, made for it: how long they take to open, and whether the bound of memory holds.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeBig } from '../checkpoints/make-big.mjs';
import { median } from './harness.js';

/** Bytes that opening may take beside the weights as float32. */
const BESIDE = 64e6;
const FORMATS = ['glassformer', 'huggingface'];

/**
 * @param {import('./run.mjs').Options} options quick: one process each
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function checkpoints({ quick }) {
  const child = fileURLToPath(new URL('child.mjs', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
  const rows = [];
  let holds = true;
  try {
    for (const format of FORMATS) {
      for (const dtype of ['F32', 'F16']) {
        const place = join(folder, `${format}-${dtype}`);
        const { bytes } = makeBig(place, { dtype, format });
        const runs = [];
        for (let i = 0; i < (quick ? 1 : 3); i++) {
          const options = { variant: 'simd', folder: place, format, tokens: quick ? 8 : 16 };
          const args = [child, 'tests/bench/checkpoints-work.js', JSON.stringify(options)];
          const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
          runs.push(JSON.parse(stdout));
        }
        const of = (/** @type {string} */ name) => median(runs.map((run) => run[name]));
        const most = Math.max(...runs.map(({ peak }) => peak));
        const [{ weights, maps, module }] = runs;
        holds &&= most <= weights + BESIDE;
        const beside = (most - weights) / 1e6;
        rows.push([`${format}, ${dtype}`, bytes / 1e6, of('opened') / 1e3, most / 1e6, beside, module / 1e6]);
        rows.at(-1)?.push(maps, of('first'), of('token'));
        rmSync(place, { recursive: true });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (!holds) process.exitCode = 1;
  return {
    title: 'A file of 124 million parameters (12 layers, d_model 768, 50,257 words) in Node, simd',
    tables: [
      {
        title: `Medians of ${quick ? 1 : 3} fresh processes; of the memory the most`,
        columns: [
          ...['file', 'MB', 'open, s', 'peak, MB', 'beside weights, MB', 'module, MB'],
          ...['maps', 'pass and maps, ms', 'token, ms'],
        ],
        rows,
      },
    ],
    notes: [`peak memory within the weights as float32 and ${BESIDE / 1e6} MB: ${holds ? 'holds' : 'DOES NOT HOLD'}`],
  };
}
