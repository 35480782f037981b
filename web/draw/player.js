// Plays the rows of Why, one a second. A position counts the parts of all rows; `rows` says how many each has, as one
// for each dimension of a product.

const ROW = 1000; // ms

/** The last position of each row. @param {number[]} rows */
function endsOf(rows) {
  let end = 0;
  return rows.map((parts) => (end += parts));
}

/** The position that shows all. @param {number[]} rows */
export const lastOf = (rows) => endsOf(rows).at(-1) ?? 0;

/** @param {number[]} rows @param {number} ms since the beginning */
export function positionAt(rows, ms) {
  const row = Math.floor(ms / ROW);
  if (row >= rows.length) return lastOf(rows);
  return endsOf(rows)[row] - rows[row] + 1 + Math.floor((ms / ROW - row) * rows[row]);
}

/** When a position begins. @param {number[]} rows @param {number} position */
function timeOf(rows, position) {
  const { row, part } = frameAt(rows, position);
  return (row + (part - 1) / rows[row]) * ROW;
}

/** The row a position has reached and how many of its parts. @param {number[]} rows @param {number} position */
export function frameAt(rows, position) {
  const ends = endsOf(rows);
  const row = ends.findIndex((end) => position <= end);
  return { position, last: lastOf(rows), row, part: position - ends[row] + rows[row], parts: rows[row] };
}

/** @typedef {ReturnType<typeof createPlayer>} Player */

/** @param {() => void} show draws the present position */
export function createPlayer(show) {
  let cell = ''; // that it is at; each other one is shown whole
  let rows = [1];
  let position = 1;
  let frame = 0; // the animation frame that is asked for

  /** A panel out of sight plays when it comes into sight. */
  const observer =
    globalThis.IntersectionObserver && // jsdom has none
    new IntersectionObserver((entries) => {
      if (entries.at(-1)?.isIntersecting) play(1);
    });

  function pause() {
    if (frame) cancelAnimationFrame(frame);
    observer?.disconnect();
    frame = 0;
  }

  /** @param {number} from */
  function play(from) {
    pause();
    const begin = performance.now() - timeOf(rows, from);
    const length = rows.length * ROW;
    position = from;
    function tick() {
      const passed = performance.now() - begin;
      const next = positionAt(rows, passed);
      frame = passed < length ? requestAnimationFrame(tick) : 0;
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
    /** @param {string} of the cell with its numbers @param {number[]} parts of its rows */
    frame(of, parts) {
      if (of !== cell) {
        pause();
        cell = of;
        rows = parts;
        position = lastOf(rows);
      }
      return { ...frameAt(rows, position), isPlaying: frame > 0 };
    },
    /** Plays when this is in sight. @param {Element} element */
    open: (element) => observer?.observe(element),
    toggle: () => (frame ? seek(position) : play(position < lastOf(rows) ? position : 1)),
    /** To the end of the next row or of the one before. @param {1 | -1} way */
    step(way) {
      const ends = endsOf(rows);
      seek((way > 0 ? ends.find((end) => end > position) : ends.findLast((end) => end < position)) ?? position);
    },
    seek,
    pause,
  };
}
