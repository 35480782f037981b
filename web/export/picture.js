// A map as a file with a picture; fetched when the first one is wanted.

import { imageOf, pngOf } from './png.js';
import { svgOf } from './svg.js';

/**
 * @param {import('../draw/map.js').MapData} map
 * @param {string} kind 'SVG' or 'PNG'
 * @returns {Promise<Blob>}
 */
export async function pictureOf(map, kind) {
  const picture = svgOf(map, imageOf);
  return kind === 'PNG' ? pngOf(picture) : new Blob([picture.svg], { type: 'image/svg+xml' });
}
