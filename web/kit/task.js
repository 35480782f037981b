// One call at a time that takes long: a newer one, or stop(), gives it up, and nothing of it comes any more.

import { inWords } from './in-words.js';

export function createTask() {
  /** @type {AbortController | null} */
  let running = null;

  function stop() {
    running?.abort();
    running = null;
  }

  return {
    isRunning: () => running !== null,
    stop,
    /**
     * @template T
     * @template {unknown[]} P
     * @param {(signal: AbortSignal, onProgress: (...progress: P) => void) => Promise<T>} action
     * @param {{
     *   progress: (...progress: P) => unknown, done: (answer: T) => unknown, failed: (problem: string) => unknown,
     * }} then each called only while the task is still this one; it is over when `done` or `failed` is called
     */
    async run(action, { progress, done, failed }) {
      stop();
      const own = (running = new AbortController());
      /** @type {T} */
      let answer;
      try {
        answer = await action(own.signal, (...now) => void (own === running && progress(...now)));
      } catch (error) {
        if (own !== running) return;
        running = null;
        failed(inWords(error));
        return;
      }
      if (own !== running) return;
      running = null;
      done(answer);
    },
  };
}
