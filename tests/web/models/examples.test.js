// The examples of "Pronouns": the model knows their words, and answers each pronoun or mask as here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { largest } from '../../../src/tasks/scores.js';
import { CATALOGUE, PRONOUNS } from '../../../web/models/catalogue.js';

/** @type {Record<string, string[]>} */
const ANSWERS = {
  'Jump over it': ['creek'],
  'It was tired': ['dog'],
  'It was deep': ['creek'],
  'The cat sat on the mat': [],
  'Who sat on the mat?': ['nurse'],
  'Was or were?': ['were'],
};

test('the model answers each example', async () => {
  const gf = await load();
  const { model, tokenizer: vocabulary } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
  const { examples, mask } = CATALOGUE.creek;
  const answers = Object.entries(examples).map(([name, text]) => {
    const { ids, unknown } = vocabulary.encode(text);
    assert.deepEqual(unknown, [], name);
    const { logits } = model.forward({ ids });
    const asked = [...ids.keys()].filter((i) => [mask, ...PRONOUNS].includes(vocabulary.words[ids[i]]));
    const rows = asked.map((i) => logits.data.subarray(i * vocabulary.size, (i + 1) * vocabulary.size));
    return [name, rows.map((row) => vocabulary.words[largest(row)])];
  });
  assert.deepEqual(Object.fromEntries(answers), ANSWERS);
});
