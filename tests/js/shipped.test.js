// The shipped models: small, whole, and on held-out sentences as good as promised.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { load, readSafetensors } from 'glassformer';
import { holds, measure, MODELS, pathOf, tableOf } from '../../web/models/measure.mjs';

const gf = await load({ variant: 'simd' });

for (const name of /** @type {(keyof typeof MODELS)[]} */ (Object.keys(MODELS))) {
  test(name, async () => {
    const file = readFileSync(pathOf(name, 'safetensors'));
    assert.ok(file.length <= 300e3, `${file.length} bytes`);
    const { config, vocabulary, targetVocabulary, recipe, scores } = JSON.parse(
      readFileSync(pathOf(name, 'json'), 'utf8'),
    );
    const { task } = MODELS[name];
    assert.deepEqual(vocabulary, task.vocabulary.words);
    assert.deepEqual(targetVocabulary, /** @type {any} */ (task).targetVocabulary?.words);
    assert.equal(vocabulary.length, config.vocabulary);
    assert.deepEqual([recipe.task, recipe.variant], [task.name, 'simd']);
    const model = gf.createModel(config);
    for (const [key, value] of Object.entries({ ...task.config })) assert.equal(model.config[key], value, key);
    model.loadWeights(readSafetensors(file).tensors);
    assert.deepEqual(await measure(name, model, recipe.dataSeed, 0), scores, 'the scores are those of the file');
    const fresh = await measure(name, model, recipe.dataSeed, 11);
    assert.ok([...scores, ...fresh].every(holds), tableOf(fresh));
    model.free();
  });
}

for (const name of Object.keys(MODELS)) {
  test(`glassformer/models/${name} is the same model in one file`, async () => {
    const said = JSON.parse(readFileSync(pathOf(name, 'json'), 'utf8'));
    const { tensors } = readSafetensors(readFileSync(pathOf(name, 'safetensors')));
    for (const end of ['', '.safetensors']) {
      const file = await gf.loadModel(import.meta.resolve(`glassformer/models/${name}${end}`));
      assert.deepEqual(file.model.weights(), tensors);
      assert.deepEqual(file.model.config, said.config);
      assert.deepEqual([file.vocabulary.words, file.targetVocabulary?.words], [said.vocabulary, said.targetVocabulary]);
      assert.deepEqual(file.recipe, said.recipe);
      file.model.free();
    }
  });
}
