// The fact sheet: what the model's file says.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { open } from '../table.js';

const { render } = await import('lit-html');

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

test('what the file says of kind, vocabulary, weights and scores', async () => {
  const page = await open(modelCard, 'model=creek');
  const own = page.modelInfo;
  const parameters = page.result().facts.parameters;
  const training = [
    `Training: ${count.format(own.recipe.steps)} steps, batch size ${own.recipe.batchSize}`,
    `Seed: ${own.recipe.seed}`,
    'Train it again: npm run train -- creek',
  ];
  const error = { rms: 0.25, spread: 3.5 };
  for (const [changes, config, facts] of /** @type {[object, object, (string | RegExp)[]][]} */ ([
    [{}, {}, ['Layers: 3 (encoder)', 'Heads: 2', 'Vocabulary: 147 tokens', ...training]],
    [{}, { kind: 'decoder' }, ['Layers: 3 (decoder)', 'Heads: 2', 'Vocabulary: 147 tokens', ...training]],
    [
      { outputVocabulary: { length: 2000 } },
      { kind: 'encoder-decoder', decoderLayers: 5, keyValueHeads: 1 },
      [
        'Layers: 3 encoder, 5 decoder',
        'Heads: 2, 1 of keys and values',
        'Vocabulary: 147 tokens, 2,000 of the output',
        ...training,
      ],
    ],
    ...[true, false].flatMap((rounded) =>
      Object.entries({ bf16: 'bfloat16', f16: 'float16', int8: '8 bits, approximate', f32: '' }).map(
        ([weights, said]) => [
          { rounded },
          { weights },
          [
            ...['Layers: 3 (encoder)', 'Heads: 2', 'Vocabulary: 147 tokens'],
            ...(said ? [`Matrices: ${rounded ? 'rounded to ' : ''}${said}`] : []),
            ...training,
          ],
        ],
      ),
    ),
    ...[
      ['none', 'Output'],
      ['tied', 'Logits'],
    ].map(([head, what]) => [
      { weightsError: error, notes: ['One.', 'Two.'] },
      { head },
      [
        ...['Layers: 3 (encoder)', 'Heads: 2', 'Vocabulary: 147 tokens'],
        `${what} off by: 0.25 (RMS), of a spread of 3.5`,
        ...training,
        'Note: One.',
        'Note: Two.',
      ],
    ]),
  ])) {
    const card = shown({ ...own, ...changes, config: { ...own.config, ...config } }, parameters);
    assert.deepEqual(
      card.facts.filter((each) => !/^(d_model|Parameters|File)/.test(each)),
      facts,
      JSON.stringify({ ...changes, ...config }),
    );
    assert.equal(card.root.querySelector('.scores')?.hasAttribute('hidden'), false);
  }
  const head = { layer: 0, head: 2 };
  const score = (/** @type {string} */ name, /** @type {object} */ more = {}) => ({ name, value: 0.123, ...more });
  for (const [name, scores, said] of /** @type {[string, object[], string[]][]} */ ([
    ['creek', [score('flip measure')], ['A head follows the adjective (tired, deep): 12.3 %']],
    ['creek', [score('unknown score')], ['Unknown score: 12.3 %']],
    ['creek', [score('loss, nats')], ['Loss, nats: 0.12']],
    ['creek', [score('bits per byte', { note: 'of 2' })], ['Bits per byte of 2: 0.12']],
    ['creek', [score('be_masked', { head })], ['Masked “was” or “were” layer 1, head 3: 12.3 %']],
    [
      'translate',
      [score('mass on the linked words', { head, note: 'best' })],
      ['Their mean weight on the right words layer 1, head 3; best: 12.3 %'],
    ],
    ['continue', [score('stories without a wrong one')], ['Stories without an error: 12.3 %']],
    ['austen', [score('flip measure')], ['Flip measure: 12.3 %']],
    ['creek', [], []],
  ])) {
    const card = shown({ ...own, name, scores }, parameters);
    assert.deepEqual(card.scores, said);
    assert.equal(card.root.querySelector('.scores')?.hasAttribute('hidden'), !scores.length);
    assert.equal(
      card.root.querySelectorAll('.scores i').length,
      scores.filter((each) => 'head' in each || 'note' in each).length,
    );
  }
  const french = { length: 5 };
  assert(
    shown({ ...own, name: 'translate', outputVocabulary: french }, parameters).facts.includes(
      'Vocabulary: 147 English, 5 French tokens',
    ),
  );
});

/** The card of such a file. @param {any} modelInfo @param {number} parameters */
function shown(modelInfo, parameters) {
  const root = document.createElement('div');
  render(
    modelCard.render(/** @type {any} */ ({ result: { facts: { parameters } }, modelInfo }), /** @type {any} */ ({})),
    root,
  );
  const rows = (/** @type {string} */ of) =>
    [...root.querySelectorAll(`${of} > dl > div`)].map((each) =>
      [...each.children].map((part) => String(part.textContent).trim()).join(': '),
    );
  return { root, facts: rows('#model-card'), scores: rows('.scores') };
}

test('an untrained model has none; while the text is empty it stays', async () => {
  assert.equal((await open(modelCard, 'model=untrained')).text(), '');
  const page = await open(modelCard, 'model=creek');
  const before = page.text();
  page.put({ text: '' });
  await page.show();
  assert.equal(page.text(), before);
});
