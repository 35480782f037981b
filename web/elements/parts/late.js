// Numbers that come a moment after a pass: a part waits for them that long, so that it is laid out once.

const PATIENCE = 100; // ms

// Their code comes while the engine and the model do: a part would wait for it, and be drawn twice.
import('../../../src/js/engine/lens.js').catch(() => {}); // the call that needs it fails, and says why

/**
 * Draws a place of a pass with its numbers; without them, if they take long, and again when they are there.
 * @template T
 * @param {(found: T | undefined) => void} draw
 * @param {(error: unknown) => void} report
 */
export function createLate(draw, report) {
  /** @type {{pass: object | null, row: number}} */
  let shown = { pass: null, row: 0 };
  let isHeld = false;
  /** @type {T | undefined} */
  let numbers;
  return {
    /** @param {object} pass @param {number} row 0 if the numbers are of all @param {() => Promise<T>} compute */
    update(pass, row, compute) {
      if (pass === shown.pass && row === shown.row) return void (isHeld || draw(numbers));
      const own = (shown = { pass, row });
      isHeld = true;
      numbers = undefined;
      const show = (/** @type {T | undefined} */ found) => {
        if (own !== shown || (!isHeld && found === undefined)) return;
        isHeld = false;
        numbers = found;
        draw(found);
      };
      compute().then(show, report);
      setTimeout(() => show(undefined), PATIENCE);
    },
  };
}
