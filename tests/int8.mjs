// node tests/int8.mjs [FOLDER...]     how far models are from their files in int8 (shipped ones and tests/checkpoints)
//
// A line for each: root mean square and largest of the differences of the logits, their spread, and of how many of 16
// tokens the likeliest next one stays. The table of src/docs/guides/checkpoints.md is of these.
import { openAsBlob, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { load } from 'glassformer';

const SHIPPED = ['creek', 'continue', 'translate', 'austen'];

const gf = await load();
/** A line of a model, or why it has none: too narrow for blocks of 8 bits. @param {string} name @param {any} source */
async function measure(name, source) {
  const opened = await gf.loadModel(await source, { weights: 'int8' }).catch((/** @type {any} */ error) => error);
  if (opened instanceof Error) return void console.log(`${name}: ${opened.message}`);
  const { model, weightsError } = opened;
  model.free();
  const { rms, max, spread, agree } = /** @type {import('glassformer/checkpoints').WeightsError} */ (weightsError);
  const numbers = [rms, max, spread].map((number) => number.toPrecision(2)).join(' | ');
  console.log(`| ${name} | ${numbers} | ${agree === undefined ? '' : `${16 * agree} of 16`} |`);
}

console.log(
  '| model | logits off by (RMS) | at most | they spread by | likeliest token stays |\n| - | - | - | - | - |',
);
const folders = process.argv.slice(2);
for (const folder of folders) await measure(basename(folder), `${folder}/`);
if (folders.length) process.exit();
for (const name of SHIPPED) await measure(name, openAsBlob(`web/models/${name}.safetensors`));
for (const name of readdirSync('tests/checkpoints').filter((each) => /-2l|bare|-4l/.test(each))) {
  await measure(name, `tests/checkpoints/${name}/`);
}
