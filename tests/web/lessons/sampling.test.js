// The lesson on sampling stands at the end of its text, where the model has a choice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { modelPages as pages } from '../../../web/lessons/model.js';
import { shipped } from '../in-node.js';

test('the word that the lesson on sampling draws has several likely candidates', async () => {
  const { link } = /** @type {{link: string}} */ (pages.find(({ id }) => id === 'temperature'));
  const asked = new URLSearchParams(link);
  const { model, ids, probabilities, vocabulary } = shipped(await load(), 'continue');
  const row = Number(asked.get('row'));
  const given = ids(String(asked.get('text')).toLowerCase());
  assert.equal(row, given.length - 1, 'the story goes on from there');
  model.forward({ ids: given });
  const shares = probabilities().data.slice(row * vocabulary.length, (row + 1) * vocabulary.length);
  const entropy = shares.reduce((sum, share) => sum - (share && share * Math.log(share)), 0);
  assert(Math.exp(entropy) > 5, `as open as between ${Math.exp(entropy)} words`);
  assert(Math.max(...shares) < 0.5);
});
