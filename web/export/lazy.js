// What makes files and code; fetched when the first one is wanted.

import { imageOf, pngOf } from './png.js';
import { svgOf } from './svg.js';

export { codeOf, sourceOf } from './code.js';
export { csvOf, jsonOf } from './table.js';

/**
 * A map as a file with a picture.
 * @param {import('../draw/map.js').MapData} map
 * @param {string} kind 'SVG' or 'PNG'
 * @returns {Promise<Blob>}
 */
export async function pictureOf(map, kind) {
  const picture = svgOf(map, imageOf);
  return kind === 'PNG' ? pngOf(picture) : new Blob([picture.svg], { type: 'image/svg+xml' });
}
