// The control: a page without anything of ours fills a memory of WebAssembly from the same file.

/** @type {WebAssembly.Memory} */
export let memory;

/**
 * @param {{bytes: number}} options of the memory; what the file has beyond goes to its beginning again
 * @returns {Promise<number>} the sum of the last numbers, so that none is left out
 */
export default async function fill({ bytes }) {
  memory = new WebAssembly.Memory({ initial: 16 });
  memory.grow(Math.ceil(bytes / 2 ** 16) - 16);
  const all = new Uint8Array(memory.buffer);
  const input = /** @type {HTMLInputElement} */ (document.querySelector('input'));
  const file = /** @type {File} */ ([...(input.files ?? [])].find(({ name }) => name.endsWith('.safetensors')));
  const reader = file.stream().getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(2 ** 18);
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (done) break;
    ({ buffer } = value);
    at = at + value.length > bytes ? 0 : at;
    all.set(value, at);
    at += value.length;
  }
  return all.subarray(-8).reduce((sum, byte) => sum + byte, 0);
}
