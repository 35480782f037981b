// A worker that ends by itself, and a WebAssembly module that breaks down: WebKit's JIT makes one in some sixty
// instances that reads out of bounds.

/** By its name, as there may be no WebAssembly here. @param {unknown} error @returns {error is Error} */
export const hasTrapped = (error) => error instanceof Error && error.name === 'RuntimeError';

/** Of a call to a worker that has ended by itself. @param {any} error */
export const hasEnded = (error) => error?.code === 'freed' && error.parameter === 'worker';

/**
 * Does something with a module; where that traps, once more with a fresh instance.
 * @template T
 * @param {() => Promise<T>} action
 * @param {() => void} renew puts a fresh instance in its place: what trapped may have left anything half done
 */
export async function withFresh(action, renew) {
  for (let tries = 1; ; tries++) {
    try {
      return await action();
    } catch (error) {
      if (!hasTrapped(error)) throw error;
      renew();
      if (tries === 1) continue;
      const twice = 'The WebAssembly module broke down, and so did a fresh one';
      error.message = `${twice}: this browser reports “${error.message}”.`;
      throw error;
    }
  }
}
