// node web/models/pack.mjs FOLDER
//
// Writes each shipped model as one file that `gf.loadModel` opens: the weights with what the .json says of them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, readSafetensors } from 'glassformer';
import { MODELS, pathOf } from './measure.mjs';

const [folder] = process.argv.slice(2);
const gf = await load({ variant: 'simd' });
mkdirSync(folder, { recursive: true });
for (const name of /** @type {import('./measure.mjs').Name[]} */ (Object.keys(MODELS))) {
  const { config, vocabulary, targetVocabulary, recipe } = JSON.parse(readFileSync(pathOf(name, 'json'), 'utf8'));
  const model = gf.createModel(config);
  model.loadWeights(readSafetensors(readFileSync(pathOf(name, 'safetensors'))).tensors);
  writeFileSync(
    join(folder, `${name}.safetensors`),
    model.save({ vocabulary, targetVocabulary, recipe, float16: true }),
  );
  model.free();
}
