// node src/models/score.mjs NAME [--seed N]
//
// Measures a shipped model on sentences that it was not trained on, drawn again by each seed, and holds the scores to
// their thresholds: exit code 1 when one is missed.
import { load } from 'glassformer';
import { readCommand } from './command.mjs';
import { holds, measure, MODELS, readModel, tableOf } from './measure.mjs';

const USAGE = `npm run score -- ${Object.keys(MODELS).join(' | ')} [--seed N]`;

const { names, seed = 1 } = readCommand(USAGE, { names: Object.keys(MODELS), least: 1, most: 1, counts: { seed: 0 } });
/** @type {import('./measure.mjs').Name} */
const name = names[0];
const { config, vocabulary, recipe, weights } = readModel(name);
if (String(vocabulary) !== String(MODELS[name].task.vocabulary.words)) {
  console.error(`${name}.safetensors has another vocabulary than the task ${recipe.task} has now: train it anew`);
  process.exit(1);
}
const gf = await load({ variant: 'simd' });
const model = gf.createModel(config);
model.loadWeights(weights);
const scores = await measure(name, model, recipe.dataSeed, seed);
const missed = scores.filter((row) => !holds(row)).length;

console.log(`${name}, trained with seed ${recipe.seed}, ${recipe.steps} steps; measured on sample ${seed}\n`);
console.log(tableOf(scores));
console.log(missed > 0 ? `\n${missed} missed` : '\nall thresholds hold');
process.exitCode = missed > 0 ? 1 : 0;
