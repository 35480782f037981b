// Files of GPT-2's size, made for it: how long they take to open, whether the bound of memory holds, and how fast
// onnxruntime-web is with the same model.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeBig } from '../checkpoints/make-big.mjs';
import { openBarePage } from './bare-page.js';
import { inBrowser } from './browser.js';
import { median } from './harness.js';
import { tellsMemory, watch } from './renderer.js';

/** Bytes that opening may take beside the file, or beside its weights as float32 where they are fewer. */
const BESIDE = 64e6;
const FORMATS = ['glassformer', 'huggingface'];
const FILES = ['config.json', 'model.safetensors'];

/**
 * @typedef {{weights: number, peak: number, module: number, opened: number, maps: number, first: number, token: number,
 *   counted?: number}} Run bytes and milliseconds
 */

/** Calls a module in its own process. @param {string} module @param {unknown} options */
async function inNode(module, options) {
  const child = fileURLToPath(new URL('child.mjs', import.meta.url));
  const args = [child, module, JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

/**
 * Opens and uses a file in a fresh Chromium.
 * @param {{folder: string, format: string, way: 'file' | 'address', tokens: number}} options
 * @returns {Promise<Run>}
 */
async function inChromium({ folder, format, way, tokens }) {
  const { processes, call, choose, heap, close } = await openBarePage(folder);
  try {
    if (way === 'file') await choose(FILES.map((file) => join(folder, file)));
    const options = { variant: 'auto', way, folder: '/given/', format };
    const { value, peak } = await watch(processes, () => call('tests/bench/checkpoints-open.js', options));
    const { weights, module, seconds } = value;
    const counted = await heap();
    const used = await call('tests/bench/checkpoints-page.js', { tokens });
    return { weights, peak, module, counted, opened: seconds * 1e3, ...used };
  } finally {
    await close();
  }
}

/** The peak of a page without us that fills as much memory. @param {string} folder @param {number} bytes */
async function control(folder, bytes) {
  const { processes, call, choose, close } = await openBarePage();
  try {
    await choose(FILES.map((file) => join(folder, file)));
    return (await watch(processes, () => call('tests/bench/checkpoints-bare.js', { bytes }))).peak;
  } finally {
    await close();
  }
}

/**
 * @param {import('./run.mjs').Options} options quick: one process each
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function checkpoints({ browser, quick }) {
  if (browser && browser !== 'chromium') throw new Error(`checkpoints runs in Node and Chromium, not in ${browser}`);
  if (browser && !tellsMemory) throw new Error("what a page takes is read in Linux's /proc, which is not here");
  const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
  const [engine, variant] = browser ? ['Chromium', 'relaxed'] : ['Node', 'simd'];
  const tokens = quick ? 8 : 16;
  const rows = [];
  const notes = [];
  let holds = true;
  let peer;
  let both;
  try {
    for (const format of FORMATS) {
      for (const dtype of ['F32', 'F16']) {
        const place = join(folder, `${format}-${dtype}`);
        const { bytes } = makeBig(place, { dtype, format });
        for (const way of /** @type {const} */ (browser ? ['file', 'address'] : ['file'])) {
          /** @type {Run[]} */
          const runs = [];
          for (let i = 0; i < (quick ? 1 : 3); i++) {
            const options = { folder: place, format, tokens };
            runs.push(
              browser
                ? await inChromium({ ...options, way })
                : await inNode('tests/bench/checkpoints-work.js', { ...options, variant }),
            );
          }
          const of = (/** @type {'opened' | 'first' | 'token'} */ name) => median(runs.map((run) => run[name]));
          const most = Math.max(...runs.map(({ peak }) => peak));
          const [{ weights: wide, maps, module, counted = NaN }] = runs;
          const weights = Math.min(wide, bytes);
          holds &&= most <= weights + BESIDE;
          const names = browser ? [`${format}, ${dtype}`, way] : [`${format}, ${dtype}`];
          rows.push([
            ...[...names, bytes / 1e6, of('opened') / 1e3, most / 1e6, (most - weights) / 1e6],
            ...(browser ? [counted / 1e6] : []),
            ...[module / 1e6, maps, of('first'), of('token')],
          ]);
          if (browser && format === 'huggingface' && dtype === 'F32' && way === 'file') {
            const beside = ((await control(place, module)) - weights) / 1e6;
            notes.push(`a page without us that fills as much memory: ${beside.toFixed(1)} MB beside the weights`);
          }
        }
        if (format === 'huggingface' && dtype === 'F32') {
          const timing = { rounds: quick ? 3 : 9, minMs: 1, warmupMs: 1500 };
          const options = { variant: browser ? 'auto' : 'simd', tokens, timing };
          const module = 'tests/bench/checkpoints-peer.js';
          const beside = (/** @type {number} */ threads) =>
            browser
              ? inBrowser(module, { ...options, threads, folder: '/given/' }, place)
              : inNode(module, { ...options, threads, folder: pathToFileURL(`${place}/`).href });
          peer = await beside(1);
          both = (await beside(2)).two;
        }
        rmSync(place, { recursive: true });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (!holds) process.exitCode = 1;
  const { one, two, token, bytes, exported, created, difference } = peer;
  const kind = browser ? "the page's process's own (RssAnon)" : 'resident in the process';
  return {
    title: `A file of 124 million parameters (12 layers, d_model 768, 50,257 words) in ${engine}, ${variant}`,
    tables: [
      {
        title: `Medians of ${quick ? 1 : 3} fresh processes; of the memory, ${kind}, the most`,
        columns: [
          ...['file', ...(browser ? ['picked or fetched'] : []), 'MB', 'open, s', 'peak, MB', 'beside weights, MB'],
          ...(browser ? ['of V8 after, MB'] : []),
          ...['module, MB', 'maps', 'pass and maps, ms', 'token, ms'],
        ],
        rows,
      },
      {
        title: 'Beside onnxruntime-web, in turn; of one thread the time of the processor',
        columns: ['', 'ours, ms', 'ORT, ms', 'ORT / ours'],
        rows: [
          ['32 tokens, logits of all, one thread each', one.ours, one.ort, one.ratio],
          ['on two threads, ORT on one', two.ours, two.ort, two.ratio],
          ['on two threads, ORT also', both.ours, both.ort, both.ratio],
          ["a token: our cache, ORT's whole pass", token, one.ort, one.ort / token],
        ],
      },
    ],
    notes: [
      `the ONNX file: ${(bytes / 1e6).toFixed(0)} MB, exported in ${exported.toFixed(1)} s; ORT's session takes ` +
        `${created.toFixed(1)} s to make; logits differ by ${difference.toExponential(1)} of the largest`,
      'the exported graph has no cache, so that for each token ORT computes all again',
      'two threads of ORT need a page with special headers, those of ours do not',
      ...notes,
      ...(browser ? ["of V8: its heap and what buffers hold, without the module's memory"] : []),
      'peak memory within the file, or its weights as float32 where they are fewer, and ' +
        `${BESIDE / 1e6} MB: ${holds ? 'holds' : 'DOES NOT HOLD'}`,
    ],
  };
}
