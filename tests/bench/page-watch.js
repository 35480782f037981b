// Runs in the page for `page`, before the page's own scripts.

/**
 * Watches: `firstMap`, when the first map had been shown; `shift`, the cumulative layout shift; `keys`, of each
 * keystroke, or move of a slider, that changed the map the milliseconds until it was shown; `longestTask` of the main
 * thread; `frames`, how long each of them lasted. Its text is sent to the page, so it names nothing outside itself.
 */
export function watch() {
  const MAP = '#heatmap';
  const QUIET = 100; // ms
  const watched = { firstMap: 0, shift: 0, keys: [], longestTask: 0, frames: [], isQuiet, seeFrames };
  globalThis.watched = watched;
  let pressed = 0;
  let changed = 0;
  let seeing = false;
  let busy = performance.now();

  function isQuiet() {
    return performance.now() - busy > QUIET;
  }

  /** Notes how long frames last, until it is called again. A page at rest has none otherwise. */
  function seeFrames() {
    seeing = !seeing;
    let last = 0;
    requestAnimationFrame(function frame(now) {
      if (last) watched.frames.push(now - last);
      last = now;
      if (seeing) requestAnimationFrame(frame);
    });
    return watched.frames;
  }

  /** The map got other pixels or words: they are shown at the end of the next frame. */
  function change() {
    busy = performance.now();
    if (changed) return;
    changed = busy;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        changed = 0;
        const now = performance.now();
        watched.firstMap ||= now;
        if (pressed) watched.keys.push(now - pressed);
        pressed = 0;
      };
      channel.port2.postMessage(null);
    });
  }

  const { putImageData } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.putImageData = function put(...image) {
    putImageData.apply(this, image);
    if (this.canvas.closest(MAP)) change();
  };
  new MutationObserver((list) => {
    busy = performance.now();
    if (watched.firstMap && list.some(({ target }) => target.parentElement?.closest(`${MAP} .map-rows`))) change();
  }).observe(document, { subtree: true, childList: true, characterData: true });

  addEventListener('keydown', (event) => (pressed = busy = event.timeStamp), true);
  addEventListener('input', ({ target, timeStamp }) => target.type === 'range' && (pressed = busy = timeStamp), true);
  const observe = (type, see) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
  observe('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) watched.shift += value;
  });
  observe('longtask', ({ duration }) => (watched.longestTask = Math.max(watched.longestTask, duration)));
}
