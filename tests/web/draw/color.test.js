// Colour tables and the pixels of a matrix.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelStep } from '../../../web/draw/axis.js';
import { fillPixels } from '../../../web/draw/canvas.js';
import { formatShare, formatValue, shortValue } from '../../../web/draw/numbers.js';
import {
  css,
  hueOf,
  invalidPixel,
  maskedPixel,
  oklab,
  probabilityScale,
  roundLimit,
  signedScale,
} from '../../../web/draw/color.js';

const SCHEMES = /** @type {const} */ (['light', 'dark']);
/** @param {number} pixel */
const lightness = (pixel) => oklab([pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255].map((v) => v / 255))[0];

for (const scheme of SCHEMES) {
  test(`${scheme}: lightness of probabilities runs evenly one way`, () => {
    const { table, low, high } = probabilityScale(scheme);
    assert.deepEqual([low, high, table.length], [0, 1, 256]);
    const steps = Array.from(table, lightness)
      .slice(1)
      .map((value, i) => value - lightness(table[i]));
    const mean = (lightness(table[255]) - lightness(table[0])) / 255;
    for (const step of steps) assert(Math.abs(step - mean) < 0.006, `step ${step}, mean ${mean}`);
  });

  test(`${scheme}: signed values diverge about entry 127, alike on both sides`, () => {
    const { table, low, high } = signedScale(scheme, 2.5);
    assert.deepEqual([low, high, table.length], [-2.5, 2.5, 255]);
    const neutral = lightness(table[127]);
    const sign = scheme === 'light' ? -1 : 1;
    for (let i = 128; i < 255; i++) {
      assert(sign * (lightness(table[i]) - lightness(table[i - 1])) > -0.003, `above, ${i}`);
      assert(sign * (lightness(table[254 - i]) - lightness(table[255 - i])) > -0.003, `below, ${254 - i}`);
      assert(Math.abs(lightness(table[i]) - lightness(table[254 - i])) < 0.12, `sides at ${i}`);
    }
    assert(Math.abs(lightness(table[254]) - neutral) > 0.5);
  });

  test(`${scheme}: masked and invalid cells have colours of their own`, () => {
    const all = new Set([...probabilityScale(scheme).table, ...signedScale(scheme, 1).table]);
    assert(!all.has(maskedPixel(scheme)) && !all.has(invalidPixel(scheme)));
  });
}

test('light probabilities start at white', () =>
  assert.equal(css(probabilityScale('light').table[0]), 'rgb(255 255 255)'));

test('pixels: ends, zero, beyond, hidden, NaN, empty', () => {
  const pixels = new Uint32Array(9);
  const scale = signedScale('light', 2);
  const data = Float32Array.of(-2, 0, 2, -9, Infinity, -Infinity, NaN, 1, NaN);
  fillPixels(pixels, {
    rows: 1,
    columns: 9,
    data,
    scale,
    scheme: 'light',
    hidden: Uint8Array.of(0, 0, 0, 0, 0, 1, 0, 0, 2),
  });
  const { table } = scale;
  assert.deepEqual(
    [...pixels],
    [
      table[0],
      table[127],
      table[254],
      table[0],
      table[254],
      maskedPixel('light'),
      invalidPixel('light'),
      table[191],
      0,
    ],
  );
  fillPixels(pixels.subarray(0, 3), {
    rows: 1,
    columns: 3,
    data: Float32Array.of(0, 0.5, 1),
    scale: probabilityScale('dark'),
    scheme: 'dark',
  });
  assert.deepEqual(
    [...pixels.subarray(0, 3)],
    [0, 128, 255].map((i) => probabilityScale('dark').table[i]),
  );
});

test('limits are 1, 2 or 5 times a power of ten and never too small', () => {
  const cases = [
    [[0.3], 0.5],
    [[-1], 1],
    [[1.01], 2],
    [[4], 5],
    [[-51], 100],
    [[0.0011], 0.002],
    [[0], 1],
    [[], 1],
    [[NaN, Infinity, 3], 5],
  ];
  for (const [data, limit] of /** @type {[number[], number][]} */ (cases))
    assert.equal(roundLimit(Float32Array.from(data)), limit, String(data));
});

test('values in words', () => {
  assert.equal(formatValue(0.62), '0.6200');
  assert.equal(formatValue(-1.5), '−1.5000');
  assert.equal(formatValue(-4e-6), '0.0000');
  assert.equal(formatValue(NaN), 'not a number (NaN)');
  assert.equal(formatValue(-Infinity), 'minus infinity');
  assert.equal(formatValue(-0.00001), '0.0000', 'no sign without a digit');
  assert.equal(formatValue(9999.5), '9999.5000');
  assert.equal(formatValue(70603.125), '70,603');
  assert.equal(formatValue(-123456), '−123,456');
  assert.equal(formatValue(7060312), '7.0603·10⁶');
  assert.equal(formatValue(-1e10), '−1·10¹⁰');
  assert.deepEqual([70603, -7.06e6, -0].map(shortValue), ['71,000', '−7.1·10⁶', '0']);
});

test('shares: only nothing is 0 %, only the whole is 100 %', () => {
  assert.deepEqual(
    [0, 0.00005, 0.0072, 0.053, 0.91, 0.994, 0.9951, 0.99999, 1].map(formatShare),
    ['0', '<0.01', '0.72', '5.3', '91', '99', '>99', '>99', '100'].map((text) => `${text}\u00a0%`),
  );
});

test('labels thin out', () => {
  assert.deepEqual(
    [20, 10, 4, 2, 0.5].map((cell) => labelStep(cell, 15)),
    [1, 2, 5, 10, 50],
  );
});

test('hues of heads: apart for every eye, and seen on their surface', () => {
  // Machado, Oliveira and Fernandes 2009, severity 1: what protanopes, deuteranopes and tritanopes see, of linear
  // light.
  const eyes = [
    [1, 0, 0, 0, 1, 0, 0, 0, 1],
    [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
    [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
    [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
  ];
  const linear = (/** @type {number} */ v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const gamma = (/** @type {number} */ v) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
  const light = (/** @type {string} */ hex) => [1, 3, 5].map((i) => linear(parseInt(hex.slice(i, i + 2), 16) / 255));
  const luminance = (/** @type {string} */ hex) =>
    light(hex).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  for (const [scheme, surface] of /** @type {const} */ ([
    ['light', '#ffffff'],
    ['dark', '#1b1820'],
  ])) {
    const hues = Array.from({ length: 8 }, (_, i) => hueOf(scheme, i).color);
    for (const hue of hues) {
      const [low, high] = [hue, surface].map(luminance).sort((a, b) => a - b);
      assert((high + 0.05) / (low + 0.05) >= 3, `${hue} on ${surface}`);
    }
    for (const eye of eyes) {
      const seen = hues.map((hue) =>
        oklab(
          [0, 3, 6].map((i) =>
            gamma(
              Math.min(
                1,
                Math.max(
                  0,
                  light(hue).reduce((sum, v, k) => sum + v * eye[i + k], 0),
                ),
              ),
            ),
          ),
        ),
      );
      seen.forEach((a, i) =>
        seen
          .slice(i + 1)
          .forEach((b, k) =>
            assert(
              Math.hypot(...a.map((v, axis) => v - b[axis])) > 0.12,
              `${scheme}: ${hues[i]} and ${hues[i + 1 + k]}`,
            ),
          ),
      );
    }
    assert.equal(hueOf(scheme, 9).color, hueOf(scheme, 1).color);
    assert.notEqual(hueOf(scheme, 9).dash, hueOf(scheme, 1).dash);
  }
});
