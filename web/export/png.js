// An SVG image as PNG, through a canvas.

import { paintMatrix } from '../draw/canvas.js';

const SHARP = 2; // canvas pixels for each of the image's

/** The cells of a matrix as an address, one pixel a cell. @param {import('../draw/canvas.js').Matrix} matrix */
export function imageOf(matrix) {
  const canvas = document.createElement('canvas');
  paintMatrix(canvas, matrix);
  return canvas.toDataURL();
}

/**
 * @param {{svg: string, width: number, height: number}} image
 * @returns {Promise<Blob>}
 */
export async function pngOf({ svg, width, height }) {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width * SHARP;
    canvas.height = height * SHARP;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the image is too large for a PNG')))),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
