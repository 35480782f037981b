// The models that this browser keeps, as the box lists them; a browser that keeps none says so once.

import { isSame } from './files.js';
import { allKept, forget, keep } from './kept.js';

/** @typedef {import('./kept.js').Kept} Kept */

/** @param {(change: Partial<import('./box.js').BoxData>) => void} draw */
export function createStorage(draw) {
  /** @type {Kept[]} */
  let stored = [];
  let failed = false;

  /**
   * @template T
   * @param {() => Promise<T>} action
   * @returns {Promise<T | undefined>}
   */
  async function tried(action) {
    try {
      return await action();
    } catch (error) {
      if (!failed) draw({ note: `This browser keeps no models: ${messageOf(error)}.` });
      failed = true;
    }
  }

  async function read() {
    stored = (await tried(allKept)) ?? [];
    draw({ kept: stored.map(({ name, title, bytes }) => ({ name, title, bytes })) });
  }

  return {
    read,
    /** @param {string} name */
    find: (name) => stored.find((each) => isSame(each.name, name)),
    /** @param {string} name */
    async forget(name) {
      await tried(() => forget(name));
      await read();
    },
    /** @param {Kept} model @returns {Promise<boolean>} whether this browser keeps models */
    async keep(model) {
      await tried(async () => {
        await keep(model);
        await read();
      });
      return !failed;
    },
  };
}

/** @param {unknown} error */
export const messageOf = (error) => String(/** @type {Error} */ (error)?.message || error).replace(/\.$/, '');
