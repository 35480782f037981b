// The feed-forward network: its neurons in every order and on both scales, and one neuron's card.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPixels } from '../../../web/draw/canvas.js';
import { roundLimit, positiveScale } from '../../../web/draw/color.js';
import { assertShown } from '../browser.js';
import { allShown, cells, checkKey, checkWords, numberOf, saidBy, texts } from '../checks.js';
import { active, shipped } from '../corpus.js';
import { KNOWN, ROW, click, eventually, fill, move, open, quiet, shown, there, unfold } from './steps.js';

const LAYER = 2; // where creek opens

/** @param {import('./steps.js').Tour} tour */
export default function ffn(tour) {
  /** Creek opened, and in Node; the corpus is read once. */
  async function opened() {
    await open(tour, 'creek');
    await there(tour.page, '#neuron button');
    const own = shipped(tour.gf, 'creek');
    const rows = own.read('encoder', LAYER);
    own.model.forward({ ids: own.words(KNOWN), capture: true });
    const {
      data,
      shape: [, tokens, width],
    } = own.model.tensor(`encoder.layers.${LAYER}.ffn.activation`);
    return {
      own,
      rows,
      data,
      tokens,
      width,
      at: (/** @type {number} */ row, /** @type {number} */ neuron) => data[row * width + neuron],
    };
  }

  test('creek: neurons by number, value, similarity and activity, before and after the activation', async () => {
    const { page } = tour;
    const { own, rows, tokens, width, at } = await opened();
    const numbers = Array.from({ length: width }, (_, i) => i);
    const shares = active(rows);
    const cosine = (/** @type {number} */ a, /** @type {number} */ b) => {
      const [ab, aa, bb] = [
        [a, b],
        [a, a],
        [b, b],
      ].map(([i, j]) =>
        Array.from({ length: tokens }, (_, row) => at(row, i) * at(row, j)).reduce((so, each) => so + each),
      );
      return aa && bb ? ab / Math.sqrt(aa * bb) : 0;
    };
    const similarity = (/** @type {number[]} */ order) =>
      order.slice(1).reduce((sum, neuron, i) => sum + cosine(order[i], neuron), 0) / (order.length - 1);
    const falls = (/** @type {number[]} */ values) => values.every((each, i) => i === 0 || each <= values[i - 1]);
    /** @type {Record<string, (order: number[]) => boolean>} */
    const right = {
      index: (order) => order.every((neuron, i) => neuron === i),
      token: (order) => falls(order.map((neuron) => at(ROW, neuron))),
      similar: (order) => similarity(order) > 2 * similarity(numbers.slice(0, order.length)),
      active: (order) => falls(order.map((neuron) => shares[neuron])),
    };
    await fill(page, '#ffn .arrangement', 'index');
    await move(page, '#ffn', ROW, 3);
    await shown(page, '#ffn', at(ROW, 3), 'neuron 3');
    await unfold(page, '#ffn .map-foot > div:first-child details');
    await there(page, '#ffn .map-foot tbody tr');
    for (const [name, check] of Object.entries(right)) {
      await fill(page, '#ffn .arrangement', name);
      const order = await eventually(async () => {
        const found = (await texts(page, '#ffn .map-foot thead th')).map(Number);
        assert.equal(new Set(found).size, Math.min(64, width), `${found}`);
        assert(check(found), `${name}: ${found}`);
        return found;
      });
      const [, ...values] = (await cells(page, '#ffn .map-foot tbody tr'))[ROW];
      allShown(
        values.map(numberOf),
        order.map((neuron) => at(ROW, neuron)),
        name,
      );
      await shown(page, '#ffn', at(ROW, 3), `${name}: the cursor stays with its neuron`);
    }
    await fill(page, '#ffn .quantity', 'pre_activation');
    await shown(
      page,
      '#ffn',
      own.model.tensor(`encoder.layers.${LAYER}.ffn.pre_activation`).data[ROW * width + 3],
      'before the activation',
    );
    await quiet(page);
  });

  test('creek: both scales of colour, from 0 as no activation is negative', async () => {
    const { page } = tour;
    const { data, tokens, width } = await opened();
    assert(data.every((value) => value >= 0));
    await fill(page, '#ffn .arrangement', 'index');
    for (const scale of ['linear', 'root']) {
      await fill(page, '#ffn .colours', scale);
      // The other variant's last bits may tip a value over the edge between two colours.
      const right = [-1e-5, 1e-5].map((by) => {
        const pixels = new Uint32Array(tokens * width);
        fillPixels(pixels, {
          rows: tokens,
          columns: width,
          data: data.map((value) => value + by),
          scale: positiveScale('light', roundLimit(data), scale === 'root'),
          scheme: 'light',
        });
        return pixels;
      });
      await eventually(async () => {
        const drawn = await page.evaluate(() => {
          const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('#ffn .map-cells canvas'));
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
          copy?.drawImage(canvas, 0, 0);
          return [
            ...new Uint32Array(/** @type {any} */ (copy).getImageData(0, 0, canvas.width, canvas.height).data.buffer),
          ];
        });
        assert.equal(drawn.length, data.length);
        assert.deepEqual(
          drawn.flatMap((pixel, i) => (right.some((pixels) => pixels[i] === pixel) ? [] : [i])),
          [],
          scale,
        );
      });
    }
    await quiet(page);
  });

  test('creek: the strongest neurons, and the first one’s card', async () => {
    const { page } = tour;
    const { own, rows, width, at } = await opened();
    const top = Array.from({ length: width }, (_, i) => i)
      .sort((a, b) => at(ROW, b) - at(ROW, a))
      .slice(0, 8);
    const said = (/** @type {number} */ neuron) =>
      saidBy(tour.gf, own, {
        stack: 'encoder',
        layer: LAYER,
        neuron,
        gain: `encoder.layers.${LAYER}.norm2.weight`,
        table: 'tok_emb.weight',
      });
    assert.deepEqual(
      await texts(page, '.neuron-strongest button'),
      top.map((neuron) => `Neuron ${neuron}`),
    );
    allShown(
      (await texts(page, '.neuron-strongest .number')).map(numberOf),
      top.map((neuron) => at(ROW, neuron)),
      'strongest',
    );
    assert.deepEqual(
      await texts(page, '.neuron-says bdi'),
      top.map((neuron) => own.vocabulary[said(neuron).words[0].id]),
    );
    await click(page, '.neuron-strongest button');
    await eventually(() => checkKey(page, rows, top[0]));
    const { words, norm } = said(top[0]);
    await checkWords(page, words, own.vocabulary);
    const fact = async (/** @type {string} */ name) =>
      numberOf((await texts(page, `#neuron [data-number=${name}]`))[0]);
    assertShown(
      await fact('before'),
      own.model.tensor(`encoder.layers.${LAYER}.ffn.pre_activation`).data[ROW * width + top[0]],
    );
    assertShown(await fact('after'), at(ROW, top[0]));
    assertShown(await fact('adds'), at(ROW, top[0]) * norm);
    await click(page, '.neuron-card summary');
    await eventually(async () =>
      assert.equal(await page.evaluate(() => document.querySelector('.neuron-card')?.getAttribute('open')), null),
    );
    await quiet(page);
  });
}
