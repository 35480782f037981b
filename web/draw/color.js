// Colours of the maps: tables of 256 entries (255 where zero needs a middle) from a value's position
// on its scale to a pixel.
//
// Anchors come from ColorBrewer 2.0 (Harrower & Brewer 2003, colorbrewer2.org): the hue of
// 'Purples' for probabilities; 'Blues' and 'Oranges' for signed values, a pair that every common
// colour blindness keeps apart. Between anchors colours are mixed in OKLab (Ottosson 2020), and
// anchors lie where lightness is linear along the table, so equal steps look equal.

/** @typedef {'light' | 'dark'} Scheme */
/**
 * The mapping of values to colours: `low`..`high` spans the table; signed scales have low = -high. With
 * `root` the position on the table is the square root, of signed values to both sides of 0, which tells
 * small values apart better. `ticks`: the legend's texts at its ends and its middle, where these are not their numbers.
 * @typedef {{low: number, high: number, table: Uint32Array, root?: boolean, ticks?: string[]}} Scale
 */

const ANCHORS = {
  light: {
    sequential: ['#ffffff', '#bcbddc', '#807dba', '#54278f', '#3f007d'],
    negative: ['#f7f7f7', '#fdae6b', '#d94801', '#7f2704'],
    positive: ['#f7f7f7', '#9ecae1', '#2171b5', '#08306b'],
    masked: '#c2c5c9',
    invalid: '#e5007a',
  },
  dark: {
    sequential: ['#17141d', '#54278f', '#807dba', '#bcbddc', '#fcfbfd'],
    negative: ['#1f2125', '#a63603', '#fd8d3c', '#fee6ce'],
    positive: ['#1f2125', '#2171b5', '#6baed6', '#deebf7'],
    masked: '#4b5058',
    invalid: '#ff4fa8',
  },
};

/**
 * Hues that tell heads apart: chosen by a search for the largest least distance in OKLab, as seen with
 * and without each colour blindness (Machado 2009), at 3 : 1 or more against the surface.
 */
const HUES = {
  light: ['#1795fa', '#c8800d', '#8927be', '#29616b', '#953307', '#8b7ea5', '#31156d', '#55120b'],
  dark: ['#e98dfe', '#3fbd12', '#fadf27', '#5e42fe', '#c13140', '#bbffc8', '#ac849e', '#8754ab'],
};

/**
 * The hue of a head, wherever one is drawn; from the ninth on they come again, dashed. `dash` is SVG's, `style` a
 * border's.
 * @param {Scheme} scheme
 * @param {number} index
 */
export function hueOf(scheme, index) {
  const round = Math.floor(index / 8) % 3;
  return {
    color: HUES[scheme][index % 8],
    dash: ['none', '6 3', '2 3'][round],
    style: ['solid', 'dashed', 'dotted'][round],
  };
}

/** @type {Map<string, Uint32Array>} */
const tables = new Map();
/** @type {WeakMap<Float32Array, number>} */
const limits = new WeakMap();

/**
 * Probabilities: always 0 to 1, surface colour → one hue.
 * @param {Scheme} scheme
 * @param {boolean} [root]
 * @returns {Scale}
 */
export function probabilityScale(scheme, root = false) {
  return { low: 0, high: 1, root, table: table(`probability ${scheme}`, () => ramp(ANCHORS[scheme].sequential, 256)) };
}

/**
 * Signed values: diverges about 0 at entry 127 of 255, orange below and blue above.
 * @param {Scheme} scheme
 * @param {number} limit the value of full colour, > 0
 * @param {boolean} [root]
 * @returns {Scale}
 */
export function signedScale(scheme, limit, root = false) {
  const { negative, positive } = ANCHORS[scheme];
  return {
    low: -limit,
    high: limit,
    root,
    table: table(`signed ${scheme}`, () => {
      const below = ramp(negative, 128).reverse();
      return Uint32Array.from([...below, ...ramp(positive, 128).subarray(1)]);
    }),
  };
}

/**
 * Values none of which is negative: the colours of probabilities, from 0 to a limit.
 * @param {Scheme} scheme
 * @param {number} limit the value of full colour, > 0
 * @param {boolean} [root]
 * @returns {Scale}
 */
export const positiveScale = (scheme, limit, root) => ({ ...probabilityScale(scheme, root), high: limit });

/** @param {Scheme} scheme the pixel of a cell that a mask hides */
export const maskedPixel = (scheme) => pixel(parse(ANCHORS[scheme].masked));

/** @param {Scheme} scheme the pixel of a cell that is not a number */
export const invalidPixel = (scheme) => pixel(parse(ANCHORS[scheme].invalid));

/**
 * The smallest of 1, 2, 5 · 10^k that is not below the largest magnitude: a scale's limit that
 * stays put while values wobble. 1 when there is nothing finite and non-zero to show.
 * @param {Float32Array} data that does not change any more
 */
export function roundLimit(data) {
  const known = limits.get(data) ?? findLimit(data);
  limits.set(data, known);
  return known;
}

/** @param {Float32Array} data */
function findLimit(data) {
  let largest = 0;
  for (let i = 0; i < data.length; i++) {
    const magnitude = Math.abs(data[i]);
    if (magnitude > largest && magnitude < Infinity) largest = magnitude;
  }
  if (largest === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 5, 10].find((factor) => largest <= factor * power * (1 + 1e-6)) ?? 10;
  return Number((step * power).toPrecision(1));
}

/**
 * CSS text of a pixel of a table.
 * @param {number} value
 */
export function css(value) {
  return `rgb(${value & 255} ${(value >>> 8) & 255} ${(value >>> 16) & 255})`;
}

/** @param {string} key @param {() => Uint32Array} make */
function table(key, make) {
  const found = tables.get(key) ?? make();
  tables.set(key, found);
  return found;
}

/** @param {readonly string[]} anchors @param {number} count */
function ramp(anchors, count) {
  const points = anchors.map((hex) => oklab(parse(hex)));
  const first = points[0][0];
  const span = points[points.length - 1][0] - first;
  const stops = points.map(([lightness]) => (lightness - first) / span);
  return Uint32Array.from({ length: count }, (_, i) => {
    const t = i / (count - 1);
    const next = Math.max(
      1,
      stops.findIndex((stop) => stop >= t),
    );
    const share = (t - stops[next - 1]) / (stops[next] - stops[next - 1]);
    return pixel(srgb(points[next].map((value, k) => points[next - 1][k] + share * (value - points[next - 1][k]))));
  });
}

/** @param {string} hex '#rrggbb' */
const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);

/** ImageData's bytes are R, G, B, A; every engine is little-endian. @param {number[]} rgb */
const pixel = ([r, g, b]) => (byte(r) | (byte(g) << 8) | (byte(b) << 16) | (255 << 24)) >>> 0;

/** @param {number} unit */
const byte = (unit) => Math.round(255 * Math.min(1, Math.max(0, unit)));

/** @param {number[]} rgb sRGB, 0..1 */
export function oklab(rgb) {
  const [r, g, b] = rgb.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** @param {number[]} lab */
function srgb([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((v) => (v <= 0.0031308 ? 12.92 * v : 1.055 * Math.max(v, 0) ** (1 / 2.4) - 0.055));
}
