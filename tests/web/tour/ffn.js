// The feed-forward network: the pixels of its map on both scales.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPixels } from '../../../web/draw/canvas.js';
import { roundLimit, positiveScale } from '../../../web/draw/color.js';
import { shipped } from '../corpus.js';
import { KNOWN, eventually, fill, open, quiet, there } from './steps.js';

const LAYER = 2; // where creek opens

/** @param {import('./steps.js').Tour} tour */
export default function ffn(tour) {
  test('creek: both scales of colour, from 0 as no activation is negative', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    await there(page, '#ffn .colours');
    const own = shipped(tour.gf, 'creek');
    own.model.forward({ ids: own.words(KNOWN), capture: true });
    const { data, shape } = own.model.tensor(`encoder.layers.${LAYER}.ffn.activation`);
    const [, tokens, width] = shape;
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
}
