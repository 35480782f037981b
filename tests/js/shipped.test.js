// The shipped models: small, whole, and on held-out sentences as good as promised.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { load } from 'glassformer';
import { fileOf, holds, measure, MODELS, pathOf, tableOf } from '../../src/models/measure.mjs';

const gf = await load({ variant: 'simd' });

for (const name of /** @type {(keyof typeof MODELS)[]} */ (Object.keys(MODELS))) {
  test(name, async () => {
    const file = readFileSync(pathOf(name));
    assert.ok(file.length <= 300e3, `${file.length} bytes`);
    const published = import.meta.resolve(`glassformer/models/${name}`);
    assert.deepEqual(readFileSync(new URL(published)), file, 'the package has it under its name');
    assert.equal(import.meta.resolve(`glassformer/models/${name}.safetensors`), published);
    const { model, tokenizer, targetTokenizer, recipe, metadata } = await gf.loadModel(published);
    const scores = JSON.parse(metadata.get('scores'));
    const { task } = MODELS[name];
    assert.deepEqual(tokenizer.words, task.vocabulary.words);
    assert.deepEqual(targetTokenizer?.words, /** @type {any} */ (task).targetVocabulary?.words);
    assert.deepEqual([metadata.get('name'), recipe.task, recipe.variant], [name, task.name, 'simd']);
    assert.deepEqual(Buffer.from(await fileOf(name, model, recipe, scores)), file, 'as the training script writes it');
    for (const [key, value] of Object.entries({ ...task.config }))
      assert.equal(model.config[key], /** @type {any} */ (value)?.size ?? value, key);
    assert.deepEqual(await measure(name, model, recipe.dataSeed, 0), scores, 'the scores are those of the file');
    const fresh = await measure(name, model, recipe.dataSeed, 11);
    assert.ok([...scores, ...fresh].every(holds), tableOf(fresh));
    model.free();
  });
}
