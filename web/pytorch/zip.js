// A run for PyTorch as one file to save.

import { zipSync } from 'fflate/browser';
import { pytorchFiles } from './files.js';

/**
 * A .zip of one folder with the files of pytorchFiles.
 * @param {Parameters<typeof pytorchFiles>[0]} gf
 * @param {Uint8Array} file
 * @param {string} folder its name
 * @param {Parameters<typeof pytorchFiles>[2]} [options]
 */
export async function pytorchZip(gf, file, folder, options) {
  const files = await pytorchFiles(gf, file, options);
  // The same files give the same bytes: without the time of day.
  return zipSync({ [folder]: files }, { level: 6, mtime: '2000-01-01 00:00' });
}
