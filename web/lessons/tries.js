// Counts tries: results that do not reach the goal, each once.

/**
 * @param {() => void} onCount
 * @param {number} rest in ms: typing and dragging in one go are one try, as they are one step of undo; 0: none is
 * needed, and the start is not seen
 */
export function createTries(onCount, rest) {
  const begun = () => new Set(rest ? [] : ['']);
  /** The first is the start, which is no try. @type {Set<string>} */
  let seen = begun();
  let waiting = '';
  let timer = 0;

  function stop() {
    clearTimeout(timer);
    waiting = '';
  }

  return {
    count: () => Math.max(0, seen.size - 1),
    /** @param {string} key */
    has: (key) => seen.has(key),
    reset() {
      stop();
      seen = begun();
    },
    /** @param {string} key of a result @param {boolean} isOver the goal is reached, or was before */
    see(key, isOver) {
      if (!seen.size) return void seen.add(key);
      if (key === waiting && !isOver) return;
      stop();
      if (isOver || seen.has(key)) return;
      if (!rest) return void seen.add(key);
      waiting = key;
      timer = setTimeout(() => {
        stop();
        seen.add(key);
        onCount();
      }, rest);
    },
  };
}
