// node web/models/export.mjs NAME | FILE.safetensors --pytorch FOLDER [--at STEP] [--steps N]
//
// Writes what continues a run in PyTorch: train.py, run.json, the run with the optimizer's moments, the data of its
// next steps.
// A shipped model has no moments: it is trained anew to the same bits, up to its last step or to STEP.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GlassformerError, load } from 'glassformer';
import { pytorchFiles } from '../pytorch/files.js';
import { readCommand } from './command.mjs';
import { MODELS, pathOf } from './measure.mjs';
import { progress } from './progress.mjs';

const USAGE =
  `npm run export -- ${Object.keys(MODELS).join(' | ')} | FILE.safetensors --pytorch FOLDER ` +
  '[--at STEP] [--steps N]';

const given = readCommand(USAGE, {
  names: Object.keys(MODELS),
  files: /\.safetensors$/,
  least: 1,
  most: 1,
  counts: { at: 0, steps: 1 },
  words: { pytorch: /./ },
});
const { names, pytorch: folder, at, steps } = given;
const [name] = names;
if (!folder) stop(`--pytorch FOLDER is missing\n${USAGE}`);
const path = Object.hasOwn(MODELS, name) ? pathOf(name) : name;
if (!statSync(path, { throwIfNoEntry: false })?.isFile()) stop(`there is no file ${path}`);

/** @type {ReturnType<typeof progress> | undefined} */
let show;
try {
  const gf = await load({ variant: 'simd' });
  const files = {
    'train.py': readFileSync(new URL('../pytorch/train.py', import.meta.url)),
    ...(await pytorchFiles(gf, readFileSync(path), {
      at,
      steps,
      onProgress(step, all, loss) {
        show ??= progress(name, all);
        show(step, loss);
      },
    })),
  };
  mkdirSync(folder, { recursive: true });
  for (const [file, bytes] of Object.entries(files)) {
    writeFileSync(join(folder, file), bytes);
    console.log(`${join(folder, file)}: ${bytes.length} bytes`);
  }
  console.log(`python3 ${join(folder, 'train.py')} goes on in PyTorch; what stands at its head says how`);
} catch (error) {
  if (!(error instanceof GlassformerError) && !(/** @type {any} */ (error).code)) throw error;
  stop(`${name} was not exported: ${/** @type {Error} */ (error).message}`);
}

/** @param {string} why @returns {never} */
function stop(why) {
  console.error(why);
  process.exit(2);
}
