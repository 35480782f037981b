// Whatever a model is opened from. Fetched for all but the bytes of a small file.
import { isNamed } from '../arrays/names.js';
import { openEither } from './kind.js';
import { loadModel } from './open-model.js';
import { settle } from '../formats/source.js';
import { refuseType } from '../arrays/tensor.js';

/**
 * @param {import('../engine/engine.js').Engine} gf @param {any} file @param {any} options
 * @param {typeof import('./load-checkpoint.js').loadCheckpoint} loadCheckpoint four times as much code, so later
 * @returns {Promise<any>}
 */
export async function open(gf, file, options, loadCheckpoint) {
  const how = options ?? {};
  const source = await settle(file, 'file');
  if (!isNamed(how)) refuseType('options', options, 'named options, as in loadModel(file, { signal })');
  return openEither(
    source,
    (given) => loadModel(gf, given, how),
    (given) => loadCheckpoint(gf, given, how),
  );
}
