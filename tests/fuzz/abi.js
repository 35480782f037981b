// Its short form is tests/native-long.test.js.
import { runNative } from './native.mjs';

export const about = 'courses of calls of the ABI after those of abi.txt, natively under the sanitizers';
export const long = 200_000;

/** @param {{count: number, seed: number}} options */
export const run = (options) => runNative('wasm/abi', options);
