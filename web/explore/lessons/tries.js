// Counts tries: results that do not solve the puzzle, each once.

const REST = 800; // ms: typing and dragging in one go are one try, as they are one step of undo

/** @param {() => void} onCount */
export function createTries(onCount) {
  /** The first is the start, which is no try. @type {Set<string>} */
  let seen = new Set();
  let waiting = '';
  let timer = 0;

  function stop() {
    clearTimeout(timer);
    waiting = '';
  }

  return {
    count: () => Math.max(0, seen.size - 1),
    reset() {
      stop();
      seen = new Set();
    },
    /** @param {string} key of a result @param {boolean} isOver it solves the puzzle, or that is solved already */
    see(key, isOver) {
      if (!seen.size) return void seen.add(key);
      if (key === waiting && !isOver) return;
      stop();
      if (isOver || seen.has(key)) return;
      waiting = key;
      timer = setTimeout(() => {
        stop();
        seen.add(key);
        onCount();
      }, REST);
    },
  };
}
