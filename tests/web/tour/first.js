// First sight of each model, another text, a switch, and the engine's bits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRAINED_200 } from '../../js/trained.js';
import { texts } from '../checks.js';
import { assertShown, shipped } from '../in-node.js';
import { until } from '../engines.js';
import {
  KNOWN,
  ROW,
  chooseHead,
  click,
  eventually,
  fill,
  move,
  open,
  ownOf,
  point,
  quiet,
  readout,
  shown,
} from './steps.js';

/** @param {import('./steps.js').Tour} tour */
export default function first(tour) {
  test('creek: the first picture, attention by click, key and pointer', async (t) => {
    const { page } = tour;
    t.diagnostic(page.version);
    await open(tour, 'creek');
    const own = ownOf(tour, 'creek');
    const { heads, layers } = own.config;
    const all = Array.from({ length: layers * heads }, (_, i) =>
      own.at(`encoder.layers.${Math.floor(i / heads)}.self_attn.weights`, 0, i % heads, ROW, 1),
    );
    await shown(page, '#heatmap', Math.max(...all), 'it opens on the head that attends to creek most');
    assert.equal((await readout(page)).place, 'row it, column creek');
    await chooseHead(page, heads + 1);
    await shown(page, '#heatmap', all[heads + 1], 'a head by a click');
    await page.press('ArrowDown');
    await shown(page, '#heatmap', all[2 * heads + 1], 'by a key');
    await move(page, '#heatmap', 7, 1);
    assert.equal((await readout(page)).place, 'row dog, column creek');
    for (const quantity of ['weights', 'scores', 'scaled']) {
      await fill(page, '#heatmap .quantity', quantity);
      await shown(page, '#heatmap', own.at(`encoder.layers.2.self_attn.${quantity}`, 0, 1, 7, 1), quantity);
    }
    await point(page, '#heatmap', 3, 9, true);
    await shown(page, '#heatmap', own.at('encoder.layers.2.self_attn.scaled', 0, 1, 3, 9), 'a cell by a click');
    await point(page, '#heatmap', 5, 2);
    await eventually(async () =>
      assertShown(
        Number(
          (await page.evaluate(() => document.querySelector('#heatmap strong')?.textContent ?? '')).replace('−', '-'),
        ),
        own.at('encoder.layers.2.self_attn.scaled', 0, 1, 5, 2),
        'a cell by pointing at it',
      ),
    );
    await quiet(page);
  });

  test('translate: the French, and the mean of the last cross-attention', async () => {
    const { page } = tour;
    await open(tour, 'translate');
    const own = shipped(tour.gf, 'translate');
    const [begin, end] = ['[BOS]', '[EOS]'].map((word) => own.targetVocabulary.indexOf(word));
    const sourceIds = own.ids(KNOWN);
    const { newIds } = own.model.generateSync({ targetIds: [begin], sourceIds, maxTokens: 24, endId: end });
    own.model.forward({ sourceIds, targetIds: [begin, ...newIds.slice(0, -1)], capture: true });
    const french = [...newIds]
      .filter((id) => id !== end)
      .map((id) => own.targetVocabulary[id])
      .join(' ')
      .replaceAll(' .', '.');
    assert.equal(await page.evaluate(() => document.querySelector('#target output')?.textContent?.trim()), french);
    await move(page, '#heatmap', 6, 7);
    const { heads } = own.config;
    const each = Array.from({ length: heads }, (_, head) =>
      own.at('decoder.layers.1.multihead_attn.weights', 0, head, 6, 7),
    );
    await shown(page, '#heatmap', each.reduce((a, b) => a + b) / heads);

    await click(page, '#open-beams');
    const options = { sourceIds, targetIds: [begin], endId: end, beams: 4, keep: 4, maxTokens: 24 };
    const { beams } = /** @type {any} */ (await own.model.generate(options));
    await eventually(async () => assert.equal((await texts(page, '.beams-ends li')).length, 4));
    await click(page, '.beams-ends li:nth-child(2) button'); // becomes the target
    const second = [...beams[1].newIds].map((id) => own.targetVocabulary[id]);
    await eventually(async () => assert.deepEqual(await texts(page, '#tokens-decoder .token-word'), second));
    await click(page, '#open-beams');
    await click(page, '#target button', 'Token by token');
    await click(page, '#target .primary'); // it pauses one token later
    await eventually(async () => {
      const grown = await texts(page, '#tokens-decoder .token:not(.later) .token-word');
      assert(grown.length > 1 && grown.length < second.length, `${grown}`);
      assert.deepEqual(grown, second.slice(0, grown.length));
      assert.match((await texts(page, '#target .hint'))[0], new RegExp(`^${grown.length} of ${second.length}$`));
    });
    await quiet(page);
  });

  test('continue: the same tokens', async () => {
    const { page } = tour;
    await open(tour, 'continue');
    const own = shipped(tour.gf, 'continue');
    const all = own.ids(
      await page.evaluate(() => /** @type {HTMLTextAreaElement} */ (document.getElementById('text')).value),
    );
    own.model.generateSync({
      ids: [...all],
      maxTokens: 30,
      temperature: 0.8,
      seed: 0,
      onToken: (id) => (all.push(id), own.vocabulary[id] !== 'end'),
    });
    await page.click('#generation button');
    await until(page, (count) => document.querySelectorAll('#tokens-decoder .token').length === count, all.length);
    const words = await page.evaluate(() =>
      [...document.querySelectorAll('#tokens-decoder .token-word')].map((word) => word.textContent),
    );
    assert.deepEqual(
      words,
      all.map((id) => own.vocabulary[id]),
    );
    await quiet(page);
  });

  test('200 steps of training: the same bits', async () => {
    await tour.page.goto(`${tour.url}empty.html`);
    const digests = await tour.page.evaluate(
      async ({ url, runs }) => {
        const [{ load }, { reverse }] = await Promise.all(
          ['js', 'tasks'].map((folder) => import(`${url}package/${folder}/index.js`)),
        );
        /** @param {object} changes */
        const train = async (changes) => {
          const trained = (await load({ variant: 'simd' })).createModel({ ...reverse.config, ...changes, seed: 1 });
          const trainer = trained.trainer(reverse.trainer);
          const batches = reverse.batches(1);
          for (let i = 0; i < 200; i++) trainer.step(batches.next().value);
          return trained;
        };
        const found = [];
        for (const { changes } of runs) {
          const again = (/** @type {Error} */ error) =>
            error.name === 'RuntimeError' ? train(changes) : Promise.reject(error); // as the page does
          const model = await train(changes).catch(again);
          const bytes = await new Blob([...model.weights().values()].map(({ data }) => data)).arrayBuffer();
          const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
          found.push([...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
        }
        return found;
      },
      { url: tour.url, runs: TRAINED_200 },
    );
    assert.deepEqual(
      digests,
      TRAINED_200.map(({ hash }) => hash),
    );
  });
}

/** One engine shows this for all. @param {import('./steps.js').Tour} tour */
export function models(tour) {
  test('creek: another text, a switch', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    await fill(page, '#text', 'The dog was tired.');
    await until(page, () => document.querySelectorAll('#heatmap .map-rows bdi').length === 5);
    await until(page, () => !/follow=1/.test(location.hash)); // it has chosen its word
    const own = shipped(tour.gf, 'creek', { scoreScale: false });
    own.model.forward({ ids: own.ids('the dog was tired .'), capture: true });
    await page.evaluate(() => /** @type {HTMLDetailsElement} */ (document.getElementById('settings-box').open = true));
    await page.click('#set-scoreScale');
    await chooseHead(page, 0);
    await move(page, '#heatmap', 3, 1);
    assert.equal((await readout(page)).place, 'row tired, column dog');
    await shown(page, '#heatmap', own.at('encoder.layers.0.self_attn.weights', 0, 0, 3, 1));
    await quiet(page);
  });

  test('from model to model by their buttons: each is as it was left', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    await fill(page, '#text', 'the cat sat on the rug .');
    await click(page, '#models input', 1);
    await until(page, () => document.querySelector('#target output')?.textContent);
    await click(page, '#models input', 0);
    await until(
      page,
      () => /** @type {HTMLTextAreaElement} */ (document.getElementById('text')).value === 'the cat sat on the rug .',
    );
    await until(page, () => document.querySelectorAll('#heatmap .map-rows bdi').length === 7);
    await quiet(page);
  });
}
