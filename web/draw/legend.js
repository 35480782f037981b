// Explains the colours of a map: the scale with its numbers, and the cells that have none.

import { contextOf } from './canvas.js';
import { css, invalidPixel, maskedPixel } from './color.js';

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function createLegend() {
  const root = document.createElement('div');
  root.className = 'legend';
  const title = document.createElement('span');
  const scaleBox = document.createElement('span');
  scaleBox.className = 'legend-scale';
  const marks = [0, 1, 2].map(() => document.createElement('span'));
  const bar = document.createElement('canvas');
  bar.height = 1;
  bar.ariaHidden = 'true';
  scaleBox.append(bar, ...marks);
  const masked = swatch('masked');
  const invalid = swatch('not a number');
  root.append(title, scaleBox, masked.root, invalid.root);
  /** @type {Uint32Array | null} */
  let drawn = null;
  /** @type {Float32Array | null} */
  let seen = null;

  return {
    element: root,
    /** @param {import('./canvas.js').Matrix} matrix @param {string} text */
    update({ scale, scheme, hidden, data }, text) {
      title.textContent = text;
      const { low, high } = scale;
      const ends = [low, low + (high - low) * (scale.root && low === 0 ? 0.25 : 0.5), high];
      marks.forEach((mark, i) => {
        mark.textContent = scale.ticks?.[i] ?? number.format(ends[i]).replace('-', '−');
      });
      const context = contextOf(bar);
      if (drawn !== scale.table && context) {
        drawn = scale.table;
        bar.width = drawn.length;
        context.putImageData(
          new ImageData(new Uint8ClampedArray(Uint32Array.from(drawn).buffer), drawn.length, 1),
          0,
          0,
        );
      }
      masked.root.hidden = !hidden?.includes(1);
      masked.box.style.backgroundColor = css(maskedPixel(scheme));
      if (data !== seen) invalid.root.hidden = !data.some((value, i) => Number.isNaN(value) && !hidden?.[i]);
      seen = data;
      invalid.box.style.backgroundColor = css(invalidPixel(scheme));
    },
  };
}

/** @param {string} text */
function swatch(text) {
  const root = document.createElement('span');
  const box = document.createElement('span');
  root.className = 'legend-swatch';
  box.className = 'swatch';
  root.append(box, text);
  return { root, box };
}
