// An engine whose functions are wrapped, while other files of the same process load theirs.
import { AsyncLocalStorage } from 'node:async_hooks';
import { load } from 'glassformer';

/** @typedef {(it: (...given: any[]) => any, name: string) => (...given: any[]) => any} Wrap */

/** @type {AsyncLocalStorage<Wrap>} */
const wrapping = new AsyncLocalStorage();
const { instantiate } = WebAssembly;
WebAssembly.instantiate = /** @type {any} */ (
  async (...args) => {
    const instance = await instantiate.apply(WebAssembly, args);
    const wrap = wrapping.getStore();
    if (!wrap) return instance;
    const wrapped = ([name, it]) => [name, typeof it === 'function' ? wrap(it, name) : it];
    return { exports: Object.fromEntries(Object.entries(instance.exports).map(wrapped)) };
  }
);

/** @param {Wrap} wrap @param {'simd' | 'relaxed'} [variant] */
export const loadWrapped = (wrap, variant = 'simd') => wrapping.run(wrap, () => load({ variant }));
