// “Continue in PyTorch” of a model in Explore, fetched with the click. Its file has no moments, so it is trained anew,
// in a worker of its own.

import { saveFile } from '../export/file.js';
import { inWords } from '../shared/in-words.js';
import { scriptUrl } from './start.js';

const BETWEEN = 1000; // ms between two messages

/** @type {(() => void) | null} while it is trained */
let stop = null;

/**
 * Saves a .zip; called meanwhile, it stops that.
 * @param {string} model its name
 * @param {(message: string) => void} say what the reader is to know
 */
export async function carryOn(model, say) {
  if (stop) return stop();
  const stopped = new Promise((_, reject) => (stop = () => reject(new Error('stopped'))));
  stopped.catch(() => {}); // it may never be waited for
  say('Preparing the files …');
  /** @type {(() => void)[]} */
  const ends = [];
  try {
    const { connectTrainer } = await import('../train/train.js');
    const response = await fetch(`models/${model}.safetensors`);
    if (!response.ok) throw new Error(`${model}.safetensors: ${response.status} ${response.statusText}`);
    const file = new Uint8Array(await response.arrayBuffer());
    const client = connectTrainer(scriptUrl);
    ends.push(client.end);
    let last = 0;
    const folder = `${model}-pytorch`;
    const onProgress = (/** @type {number} */ step, /** @type {number} */ steps) => {
      const now = performance.now();
      if (now - last < BETWEEN) return;
      last = now;
      const [at, all] = [step, steps].map((count) => count.toLocaleString('en'));
      say(`Trained anew for its moments: step ${at} of ${all}. The same button stops it.`);
    };
    const zip = /** @type {Uint8Array<ArrayBuffer>} */ (
      await Promise.race([client.pytorchOf({ file, folder, onProgress }), stopped])
    );
    saveFile(`${folder}.zip`, zip);
    say(`${folder}.zip is saved: in it train.py carries on in PyTorch.`);
  } catch (error) {
    say(`Nothing is saved: ${inWords(error).replace(/\.$/, '')}.`);
  } finally {
    for (const end of ends) end();
    stop = null;
  }
}
