// Its short form is tests/native-long.test.js.
import { runNative } from './native.mjs';

export const about = 'models, each allocation of whose calls fails once, natively under the sanitizers';
export const long = 2000;

/** @param {{count: number, seed: number}} options */
export const run = (options) => runNative('wasm/allocations', options);
