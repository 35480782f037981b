// Measures the main thread's work for each frame that it draws, from the browser's trace.

const CATEGORIES = ['__metadata', 'toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
const TASK = 'ThreadControllerImpl::RunTask';
const FRAME = 'Commit'; // ends the main thread's part of a frame

/** @typedef {{name: string, pid: number, tid: number, ts: number, tdur?: number, dur?: number, args: any}} Event */

/**
 * The milliseconds of processor time that the page's main thread spent between the end of each frame's part and that
 * of the frame before it.
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').Page} page
 * @param {() => Promise<unknown>} action meanwhile
 * @returns {Promise<number[]>}
 */
export async function workByFrame(browser, page, action) {
  await browser.startTracing(page, { categories: CATEGORIES });
  await action();
  /** @type {{traceEvents: Event[]}} */
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const threads = mains.map(({ pid, tid }) => traceEvents.filter((each) => each.pid === pid && each.tid === tid));
  const [mine] = threads.sort((a, b) => count(b, FRAME) - count(a, FRAME)); // other pages are at rest
  return byFrame(mine);
}

/** @param {Event[]} events @param {string} name */
const count = (events, name) => events.filter((each) => each.name === name).length;

/** @param {Event[]} events of one thread */
function byFrame(events) {
  const inOrder = events.filter(({ name }) => name === TASK || name === FRAME).sort((a, b) => a.ts - b.ts);
  /** @type {number[]} */
  const frames = [];
  let spent = 0;
  for (const { name, tdur, dur = 0 } of inOrder) {
    if (name === TASK)
      spent += (tdur ?? dur) / 1000; // the task that a frame's end stands in began before it
    else {
      frames.push(spent);
      spent = 0;
    }
  }
  return frames.slice(1); // the first frame has no beginning
}
