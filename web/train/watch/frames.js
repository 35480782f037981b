// Spreads the drawing of a run over frames, so that none of them takes long. What was asked for meanwhile is drawn when
// its turn comes; a pause draws all at once.

export function createFrames() {
  /** @type {(() => void)[]} */
  let parts = [];
  let left = 0; // of them; one more at the start: the next frame already has what was drawn before
  let handle = 0;

  function frame() {
    parts[parts.length - left]?.();
    if (--left) handle = requestAnimationFrame(frame);
  }

  return {
    /** @param {(() => void)[]} next the same parts with what is to be drawn now @param {boolean} atOnce */
    draw(next, atOnce) {
      parts = next;
      if (left && !atOnce) return;
      cancelAnimationFrame(handle);
      left = atOnce ? 0 : parts.length + 1;
      if (left) handle = requestAnimationFrame(frame);
      else for (const part of parts) part();
    },
  };
}
