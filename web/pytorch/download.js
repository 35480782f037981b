// What the page gives for PyTorch: a run as one file to save, the script to copy.

import { zipSync } from 'fflate/browser';
import { pytorchFiles, scriptOf } from './files.js';

/** In a worker, whose script lies beside the folder of this one. */
async function fetchScript() {
  const response = await fetch('pytorch/train.py');
  if (!response.ok) throw new Error(`train.py: ${response.status} ${response.statusText}`);
  return response.text();
}

/**
 * A .zip of one folder with train.py and the files of pytorchFiles.
 * @param {Parameters<typeof pytorchFiles>[0]} gf
 * @param {Uint8Array} file
 * @param {string} folder its name
 * @param {Parameters<typeof pytorchFiles>[2]} [options]
 */
export async function pytorchZip(gf, file, folder, options) {
  const script = new TextEncoder().encode(await fetchScript());
  const files = await pytorchFiles(gf, file, options);
  // The same files give the same bytes: without the time of day.
  return zipSync({ [folder]: { 'train.py': script, ...files } }, { level: 6, mtime: '2000-01-01 00:00' });
}

/** @typedef {Parameters<typeof scriptOf>} Parts */
/** The script of a run from its first step. @param {Parts[1]} run @param {Parts[2]} task @param {number} steps */
export const pytorchScript = async (run, task, steps) => scriptOf(await fetchScript(), run, task, steps);
