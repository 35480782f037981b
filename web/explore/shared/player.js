// Plays the four rows of a weight, one a second. A position counts the products of the first row, then the rows.

const ROW = 1000; // ms
const LENGTH = 4 * ROW;

/** The position that shows all. @param {number} size dimensions of a head */
export const lastOf = (size) => size + 3;

/** @param {number} size @param {number} ms since the beginning */
export const positionAt = (size, ms) =>
  ms < ROW ? 1 + Math.floor((ms / ROW) * size) : Math.min(lastOf(size), size + Math.floor(ms / ROW));

/** When a position begins. @param {number} size @param {number} position */
const timeOf = (size, position) => (position > size ? position - size : (position - 1) / size) * ROW;

/** The row a position has reached, and how many products are summed. @param {number} size @param {number} position */
export const frameAt = (size, position) => ({
  position,
  last: lastOf(size),
  row: Math.max(0, position - size),
  terms: Math.min(size, position),
});

/** @param {() => void} show draws the present position */
export function createPlayer(show) {
  let cell = ''; // that it is at; each other one is shown whole
  let size = 1;
  let position = 1;
  let frame = 0; // the animation frame that is asked for

  /** A panel out of sight plays when it comes into sight. */
  const observer = new IntersectionObserver((entries) => {
    if (entries.at(-1)?.isIntersecting) play(1);
  });

  function pause() {
    cancelAnimationFrame(frame);
    observer.disconnect();
    frame = 0;
  }

  /** @param {number} from */
  function play(from) {
    pause();
    const begin = performance.now() - timeOf(size, from);
    position = from;
    function tick() {
      const passed = performance.now() - begin;
      const next = positionAt(size, passed);
      frame = passed < LENGTH ? requestAnimationFrame(tick) : 0;
      if (next === position && frame) return;
      position = next;
      show();
    }
    frame = requestAnimationFrame(tick);
    show();
  }

  /** @param {number} to */
  function seek(to) {
    pause();
    position = to;
    show();
  }

  return {
    /** @param {string} of the cell with its numbers @param {number} dimensions */
    frame(of, dimensions) {
      if (of !== cell) {
        pause();
        cell = of;
        size = dimensions;
        position = lastOf(size);
      }
      return { ...frameAt(size, position), isPlaying: frame > 0 };
    },
    /** Plays when this is in sight. @param {Element} element */
    open: (element) => observer.observe(element),
    toggle: () => (frame ? seek(position) : play(position < lastOf(size) ? position : 1)),
    /** To the end of the next row or of the one before. @param {1 | -1} way */
    step(way) {
      const ends = [0, 1, 2, 3].map((row) => size + row);
      seek((way > 0 ? ends.find((end) => end > position) : ends.findLast((end) => end < position)) ?? position);
    },
    seek,
    pause,
  };
}
