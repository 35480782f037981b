// Text on a colour of a map: black or white, whichever has the higher contrast (WCAG 2.2, always above 4.5).

/** @param {number} pixel of a colour table */
export function inkOn(pixel) {
  const [r, g, b] = [0, 8, 16].map((shift) => {
    const unit = ((pixel >>> shift) & 255) / 255;
    return unit <= 0.04045 ? unit / 12.92 : ((unit + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
}

/**
 * The pixel of a value on a scale without a root.
 * @param {import('./color.js').Scale} scale
 * @param {number} value
 */
export const pixelAt = ({ low, high, table }, value) =>
  table[Math.floor(Math.min(1, Math.max(0, (value - low) / (high - low))) * (table.length - 1) + 0.5)];
