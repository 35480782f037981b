// The memory of the process that runs a page, as the system counts it while something happens.
import { existsSync, readFileSync } from 'node:fs';

/** Whether this system tells what of a process's memory is its own. */
export const tellsMemory = existsSync('/proc/self/status');

/** The interval of the measurements: memory that waits for the garbage collector waits much longer. */
const EVERY = 10; // milliseconds

/** The processes that run a browser's pages: one for a single page, and at times one in reserve.
 * @param {import('playwright-core').CDPSession} session of the browser
 */
export async function renderersOf(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/**
 * Bytes of anonymous memory, which are the process's own: its programs' pages and the pipes through which files come
 * (RssFile, RssShmem), which it shares with others, are not among them.
 * @param {number} process
 */
function own(process) {
  try {
    // One in reserve that is ending has no such line.
    return 1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // it has ended
  }
}

/**
 * The memory that an action adds in the process in which it adds most.
 * @template T
 * @param {number[]} processes
 * @param {() => Promise<T>} action
 * @returns {Promise<{value: T, peak: number, after: number}>} bytes
 */
export async function watch(processes, action) {
  const before = processes.map(own);
  const rise = () => Math.max(...processes.map((process, i) => own(process) - before[i]));
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, rise())), EVERY);
  try {
    const value = await action();
    const after = rise();
    return { value, peak: Math.max(peak, after), after };
  } finally {
    clearInterval(timer);
  }
}
