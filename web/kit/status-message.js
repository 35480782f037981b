// A message about what has just been done, which disappears after a while.

const DURATION = 4000; // ms

/** @param {() => void} draw shows the message */
export function createStatus(draw) {
  let message = '';
  let timer = 0;
  return {
    message: () => message,
    /** @param {string} text */
    show(text) {
      message = text;
      draw();
      clearTimeout(timer);
      timer = setTimeout(() => {
        message = '';
        draw();
      }, DURATION);
    },
    destroy: () => clearTimeout(timer),
  };
}
