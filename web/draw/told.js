// What has just been done, in words that go after a while.

const STAYS = 4000; // ms

/** @param {() => void} draw what shows the words */
export function createTold(draw) {
  let words = '';
  let timer = 0;
  return {
    words: () => words,
    /** @param {string} text */
    tell(text) {
      words = text;
      draw();
      clearTimeout(timer);
      timer = setTimeout(() => {
        words = '';
        draw();
      }, STAYS);
    },
    end: () => clearTimeout(timer),
  };
}
