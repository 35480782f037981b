// What the page knows of a model's file: the words that it reads, those that it writes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { neighbours, reverse, reverseDecoder } from 'glassformer/tasks';
import { defaultState } from '../../../web/app/schema.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { makePlan } from '../../../web/engine/plan.js';
import { readModel } from '../../../web/models/measure.mjs';

const gf = await load();

/** @param {any} task @param {object} [vocabularies] */
async function infoOf({ config, vocabulary, outputVocabulary }, vocabularies = { vocabulary, outputVocabulary }) {
  const model = gf.createModel(config);
  const file = /** @type {Uint8Array<ArrayBuffer>} */ (model.save(vocabularies));
  model.free();
  return createModelCache().open(gf, 'given', file);
}

test('the words of the output are the input’s, the target’s, or of a vocabulary of its own', async () => {
  const own = await infoOf(neighbours);
  assert.deepEqual(own.vocabulary, [...'abcdef']);
  assert.equal(own.targetVocabulary, undefined);
  assert.deepEqual(own.outputVocabulary, neighbours.outputVocabulary?.words);
  assert.deepEqual((await infoOf(reverse)).outputVocabulary, [...'0123456789']);
  const shared = await infoOf(reverseDecoder);
  assert.deepEqual(shared.targetVocabulary, reverseDecoder.vocabulary.words, 'one table for both');
  assert.deepEqual(shared.outputVocabulary, shared.targetVocabulary);
});

test('an encoder–decoder without an end mark says as many tokens as it was told', async () => {
  const info = await infoOf(reverseDecoder);
  const { kind, heads } = info.config;
  const state = { ...defaultState(), settings: { ...defaultState().settings, kind, heads } };
  const { generate, ids } = makePlan({ ...state, text: '4 0 7 1 6' }, info);
  assert.deepEqual(generate, { begin: 10, maxTokens: 5 });
  const model = gf.createModel(info.config);
  const { newIds } = model.generate({ ids: [10], sourceIds: ids, maxTokens: 5, endId: generate?.end });
  assert.equal(newIds.length, 5);
  const translate = readModel('translate');
  const { generate: ended } = makePlan({ ...state, text: 'the dog' }, translate);
  assert.deepEqual(ended, { begin: translate.outputVocabulary.indexOf('[BOS]'), end: 2, maxTokens: 24 });
});
