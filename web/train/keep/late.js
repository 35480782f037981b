// What the reader may keep, fetched with the first thing that is kept.

import { inWords } from '../../shared/in-words.js';

/** @typedef {ReturnType<typeof import('./keep.js').createKeep>} Keep */

/** @type {readonly (keyof Keep)[]} */
const ACTIONS = ['onCopy', 'onCode', 'onSave', 'onShare', 'onExplore', 'onFile'];

/**
 * @param {Parameters<typeof import('./keep.js').createKeep>} given
 * @returns {Keep}
 */
export function createKeep(...given) {
  const [{ set }] = given;
  /** @type {Promise<any> | null} */
  let keep = null;
  const made = () => (keep ??= import('./keep.js').then((late) => late.createKeep(...given)));
  /** @param {string} name */
  const action =
    (name) =>
    async (/** @type {unknown[]} */ ...asked) => {
      try {
        return (await made())[name](...asked);
      } catch (error) {
        keep = null;
        set({ notice: inWords(error) });
      }
    };
  return /** @type {any} */ (Object.fromEntries(ACTIONS.map((name) => [name, action(name)])));
}

/** Whether this browser shares files. */
export const canShare = () => navigator.canShare?.({ files: [new File([''], 'run.safetensors')] }) ?? false;
