// Calls as users of other libraries guess them: they work, or the error says the right one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const folder = 'dist/checkpoints/';
const { model, tokenizer } = await gf.loadModel(`${folder}gpt2/`);
const { model: bert } = await gf.loadModel(`${folder}bert/`);

/** @type {[string, () => unknown, {code: string, message: RegExp}][]} */
const REFUSED = [
  [
    'createModel({ context })',
    () => gf.createModel(/** @type {any} */ ({ kind: 'decoder', vocabulary: 9, context: 8 })),
    { code: 'unknown', message: /mean maxLength/ },
  ],
  [
    'step({ texts })',
    () => model.trainer().step(/** @type {any} */ ({ texts: ['The dog'] })),
    { code: 'unknown', message: /mean ids/ },
  ],
  [
    'generate(messages)',
    () => model.generateSync(/** @type {any} */ ([{ role: 'user', content: 'The dog' }])),
    { code: 'type', message: /await tokenizer\.chat\(messages/ },
  ],
  [
    "save('./out')",
    () => model.save(/** @type {any} */ ('./out')),
    { code: 'type', message: /'huggingface' for files/ },
  ],
];

for (const [name, call, expected] of REFUSED) {
  test(`${name} says the right name`, () => assert.rejects(async () => call(), expected));
}

test('the settings are still plain data: copies, JSON and comparisons see no other names', () => {
  const { config } = model;
  assert.deepEqual(structuredClone(config), { ...config });
  assert.ok(!Object.keys(config).includes('dModel') && !JSON.stringify(config).includes('dModel'));
  assert.deepEqual(gf.createModel(config).config, config);
});

test('loadModel opens what save gave as a folder, with the same logits', async () => {
  const files = await model.save({ format: 'huggingface' });
  const again = await gf.loadModel(files);
  const ids = tokenizer.encode('The creek was cold');
  assert.deepEqual(again.tokenizer?.encode('The creek was cold'), ids);
  assert.deepEqual(again.model.forward(ids).logits, model.forward(ids).logits);
});

test('adapters without `of` are those of queries, keys and values in every layer', async () => {
  const settings = { learningRate: 0.01, seed: 3 };
  const run = async (/** @type {any} */ adapters) => {
    const tuned = await bert.clone({ head: 'classes', labels: ['a', 'b'], seed: 2 });
    const trainer = await tuned.trainer({ ...settings, adapters });
    return [
      trainer.settings.adapters,
      trainer.step({ ids: ['the dog', 'the creek'], labels: [0, 1] }),
      trainer.state(),
    ];
  };
  const plain = await run({ rank: 2 });
  assert.deepEqual(plain, await run({ rank: 2, of: ['in_proj_weight'] }));
  assert.deepEqual(/** @type {any} */ (plain[0]).of, ['in_proj_weight']);
});
