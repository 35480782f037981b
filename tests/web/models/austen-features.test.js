// The dictionaries of austen's features: their files, what they rebuild of text that the model has never seen, and how
// the worker opens them in place of training one.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { loadFeatures } from 'glassformer/features';
import { ofTheDay } from '../../of-the-day.js';
import { trainOn } from '../../../web/engine/dictionaries.js';
import { shippedFeatures } from '../../../web/engine/plan.js';

const FOLDER = 'web/models/';
const gf = await load({ variant: 'simd' });
const { model, tokenizer } = await gf.loadModel(readFileSync(`${FOLDER}austen.safetensors`));
const { sentences } = JSON.parse(readFileSync(`${FOLDER}austen.corpus.json`, 'utf8'));
const ids = sentences.map((/** @type {string} */ text) => [...(tokenizer?.encode(text).ids ?? [])]);
const PLACES = [0, 1, 2, 3].flatMap((layer) => [`decoder.${layer}.ffn`, `decoder.${layer}.out`]);

test('a dictionary of each layer’s neurons and of the stream behind each lies beside the page, below 1 MB', () => {
  assert.deepEqual(
    readdirSync(`${FOLDER}features`),
    PLACES.map((place) => `austen.${place}.safetensors`),
  );
  for (const place of PLACES) {
    const file = shippedFeatures('austen', `${place}.0`);
    assert(readFileSync(FOLDER + file).length < 1_000_000, place);
    assert.equal(shippedFeatures('austen', `${place}.1`), null, 'of another seed none');
    assert.equal(shippedFeatures('creek', `${place}.0`), null);
  }
});

for (const place of ofTheDay(PLACES)) {
  test(`${place}: it rebuilds most of held-out chapters, and most of its features are active there`, async (t) => {
    const features = await loadFeatures(readFileSync(`${FOLDER}features/austen.${place}.safetensors`), { model });
    const [, layer, part] = place.split('.');
    assert.equal(features.at, `decoder.layers.${layer}.${part === 'ffn' ? 'ffn.product' : 'out'}`);
    const { unexplained, alive } = await features.read(model, { ids });
    const active = alive.filter(Boolean).length;
    t.diagnostic(`not rebuilt ${unexplained.toFixed(3)} (${features.unexplained?.toFixed(3)}), active ${active}`);
    assert(Number(features.unexplained) < (part === 'ffn' ? 0.4 : 0.15), 'of paragraphs that its training left out');
    assert(unexplained < (part === 'ffn' ? 0.5 : 0.2), 'of chapters that the model, too, has never seen');
    assert(active > 0.8 * features.size);
  });
}

/** The worker's context, without the parts that a dictionary does not need. @type {any} */
const context = {
  ...{ gf, name: 'austen', info: { config: model.config, vocabulary: tokenizer?.vocabulary ?? [] } },
  corpus: () => ({ ids: ids.slice(0, 80), targetIds: null }),
  build: () => model.clone(),
};

/** Asks until it is there. @param {string} name */
async function found(name) {
  for (;;) {
    const work = await trainOn(context, name);
    if (work?.scores) return work;
  }
}

test('the worker fetches the file, names its features by their examples, and says what does not come', async () => {
  const before = globalThis.fetch;
  /** @type {string[]} */
  const asked = [];
  try {
    globalThis.fetch = async (/** @type {any} */ path) => {
      asked.push(path);
      return new Response(readFileSync(`web/${path}`));
    };
    const { features, scores, sha256, step, steps, unexplained } = await found('decoder.0.out.0');
    const read = await features?.read(model, { ids: context.corpus().ids });
    assert.equal(unexplained, read?.unexplained, 'of the page’s sentences, not of those left out of its training');
    assert.deepEqual(asked, ['models/features/austen.decoder.0.out.safetensors']);
    assert.equal(step, steps);
    assert.match(sha256, /^[0-9a-f]{64}$/);
    assert.equal(scores?.length, features?.size);
    assert(Number(scores?.filter((score) => Number(score?.f1) > 0.7).length) > 50);
    globalThis.fetch = async () => new Response('', { status: 404 });
    await assert.rejects(found('decoder.1.out.0'), /models\/features\/austen\.decoder\.1\.out.* \(404\)/);
  } finally {
    globalThis.fetch = before;
  }
});
