// The one table that `npm run smoke` prints.
import { Missing } from './project.js';

const COLUMNS = { target: 20, version: 35, 'what ran': 87, variant: 13, result: 7, bytes: 9, seconds: 7 };

/**
 * Tries targets one after another, each row printed when it is there.
 * @param {import('./targets.js').Target[]} targets
 * @param {(target: import('./targets.js').Target) => Promise<{variant?: string, bytes?: number}>} attempt
 * @param {(line: string) => void} print
 * @returns {Promise<{failed: number, missing: number}>}
 */
export async function table(targets, attempt, print) {
  const row = (/** @type {string[]} */ cells) =>
    print(
      Object.values(COLUMNS)
        .map((width, i) => (i > 4 ? cells[i].padStart(width) : cells[i].padEnd(width)))
        .join(' ')
        .trimEnd(),
    );
  row(Object.keys(COLUMNS));
  /** @type {string[]} */
  const reasons = [];
  const count = { ok: 0, FAIL: 0, 'not run': 0 };
  for (const target of targets) {
    const { name, version, what } = target;
    const from = performance.now();
    /** @type {keyof typeof count} */
    let result = 'ok';
    /** @type {{variant?: string, bytes?: number}} */
    let made = {};
    try {
      made = await attempt(target);
    } catch (error) {
      result = error instanceof Missing ? 'not run' : 'FAIL';
      reasons.push(`\n${name}: ${result}. ${error.message.trim().slice(0, 1500)}`);
    }
    count[result]++;
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    const about = await Promise.resolve()
      .then(version)
      .catch(() => '');
    row([name, about, what, made.variant ?? '', result, made.bytes?.toLocaleString('en') ?? '', seconds]);
  }
  print(`\n${count.ok} of ${targets.length} ok, ${count.FAIL} failed, ${count['not run']} not run`);
  for (const reason of reasons) print(reason);
  return { failed: count.FAIL, missing: count['not run'] };
}
