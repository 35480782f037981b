// node tests/int8.mjs [FOLDER...]     how far models are from their files in int8 (shipped ones and tests/checkpoints)
//
// A line for each: root mean square and largest of the differences of the logits, their spread, of how many of 16
// tokens the likeliest next one stays, and how far the model is from its own matrices in float32, which round no
// vector. The table of src/docs/guides/checkpoints.md is of these.
import { openAsBlob, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { load } from 'glassformer';

const SHIPPED = ['creek', 'continue', 'translate', 'austen'];

const gf = await load();

/** As many tokens as `weightsError` takes. @param {any} config */
function text({ kind, vocabulary, targetVocabulary, maxLength }) {
  const ids = (/** @type {number} */ size) =>
    Array.from({ length: Math.min(16, maxLength) }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 0) % size);
  if (kind !== 'encoder-decoder') return { ids: ids(vocabulary) };
  return { sourceIds: ids(vocabulary), targetIds: ids(targetVocabulary || vocabulary) };
}

/** A line of a model, or why it has none: too narrow for blocks of 8 bits. @param {string} name @param {any} source */
async function measure(name, source) {
  const opened = await gf.loadModel(await source, { weights: 'int8' }).catch((/** @type {any} */ error) => error);
  if (opened instanceof Error) return void console.log(`${name}: ${opened.message}`);
  const { model, weightsError } = opened;
  const input = text(model.config);
  const [own, wide] = [model, model.clone({ weights: 'f32' })].map((each) => {
    const { logits, output } = each.forward(input);
    each.free();
    return (logits ?? output).data;
  });
  const vectors = Math.sqrt(own.reduce((sum, x, i) => sum + (x - wide[i]) ** 2, 0) / own.length);
  const { rms, max, spread, agree } = /** @type {import('glassformer/checkpoints').WeightsError} */ (weightsError);
  const numbers = [rms, max, spread].map((number) => number.toPrecision(2)).join(' | ');
  console.log(
    `| ${name} | ${numbers} | ${agree === undefined ? '' : `${16 * agree} of 16`} | ${vectors.toPrecision(2)} |`,
  );
}

console.log(
  '| model | logits off by (RMS) | at most | they spread by | likeliest token stays | by vectors (RMS) |\n' +
    '| - | - | - | - | - | - |',
);
const folders = process.argv.slice(2);
for (const folder of folders) await measure(basename(folder), `${folder}/`);
if (folders.length) process.exit();
for (const name of SHIPPED) await measure(name, openAsBlob(`web/models/${name}.safetensors`));
for (const name of readdirSync('tests/checkpoints').filter((each) => /-2l|bare|-4l/.test(each))) {
  await measure(name, `tests/checkpoints/${name}/`);
}
