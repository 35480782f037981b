import { readFileSync } from 'node:fs';

const PAGE = 2 ** 16;

/**
 * A module of `dist` whose memory ends early, as `load` of glassformer/core takes it.
 * @param {number} bytes where it ends
 * @param {'simd' | 'relaxed'} [variant]
 * @returns {Uint8Array}
 */
export function smallMemory(bytes, variant = 'simd') {
  const module = new Uint8Array(readFileSync(new URL(`../../dist/${variant}.wasm`, import.meta.url)));
  let at = 8; // behind magic number and version
  /** An unsigned LEB128. */
  const read = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const MEMORY = 5;
  while (module[at++] !== MEMORY) {
    const length = read();
    at += length;
  }
  read(); // bytes of the section
  const [count, hasMaximum] = [read(), read()];
  if (count !== 1 || hasMaximum !== 1) throw new Error('the module has another memory');
  read(); // pages at the beginning
  const start = at;
  read();
  // As many bytes as stood there: the last one alone says that it is the last.
  let pages = Math.floor(bytes / PAGE);
  for (let i = start; i < at; i++, pages >>= 7) module[i] = (pages & 127) | (i === at - 1 ? 0 : 128);
  return module;
}
