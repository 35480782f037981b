// The fact sheet: what the model's file says.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { open } from '../table.js';

const { modelCard } = await import('../../../../web/explore/features/model-card.js');
const count = new Intl.NumberFormat('en');

test('size, recipe and scores of each file', async () => {
  for (const [name, vocabulary] of [
    ['creek', '147 tokens'],
    ['translate', 'English, '],
    ['continue', ' tokens'],
  ]) {
    const page = await open(modelCard, `model=${name}`);
    assert.deepEqual(page.needs(), []);
    const { config, scores, recipe } = page.modelInfo;
    const facts = Object.fromEntries(
      [...page.root.querySelectorAll('#model-card > dl > div')].map((each) =>
        [...each.children].map((part) => String(part.textContent)),
      ),
    );
    assert.equal(facts.Parameters, count.format(page.result().facts.parameters));
    const { size } = statSync(new URL(`../../../../web/models/${name}.safetensors`, import.meta.url));
    assert.equal(facts.File, `${count.format(Math.round(size / 1000))} kB`);
    assert.equal(facts.Heads, String(config.heads));
    assert.equal(facts['d_model, d_ff'], `${config.d_model}, ${config.d_ff}`);
    assert(facts.Layers.startsWith(`${config.layers} `));
    assert(facts.Vocabulary.includes(vocabulary), facts.Vocabulary);
    assert.equal(facts.Training, `${count.format(recipe.steps)} steps, batch size ${recipe.batchSize}`);
    assert.equal(facts.Seed, String(recipe.seed));
    assert.deepEqual(page.all('summary'), ['Evaluation']);
    const shown = page.all('.scores dd');
    assert.equal(shown.length, scores.length);
    scores.forEach((/** @type {{name: string, value: number}} */ score, /** @type {number} */ i) => {
      const isLoss = !shown[i].endsWith('%');
      assert(Math.abs(parseFloat(shown[i]) - score.value * (isLoss ? 1 : 100)) <= (isLoss ? 0.005 : 0.0501), shown[i]);
    });
    page.all('.scores i').forEach((note) => assert.doesNotMatch(note, /head 0|layer 0|undefined/));
  }
});

test('an untrained model has none; while the text is empty it stays', async () => {
  assert.equal((await open(modelCard, 'model=untrained')).text(), '');
  const page = await open(modelCard, 'model=creek');
  const before = page.text();
  page.put({ text: '' });
  await page.show();
  assert.equal(page.text(), before);
});
