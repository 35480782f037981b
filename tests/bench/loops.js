// The loops around the products, one by one, in every engine at hand: is one slow where the others are not?
import { findEngines } from './engines.js';
import { FULL, QUICK, fastest, merge } from './peers.js';
import { persist } from './variants.js';
import { LOOPS } from './workloads.js';

const WORK = 'tests/bench/loops-work.js';
const ENGINES = ['Node', 'Chromium', 'Firefox', 'WebKitGTK'];
const [, BASE] = ENGINES; // the others are compared with this one

/** From here on a loop is slow for its engine. */
const SLOW = 1.5;

const VARIANTS = ['simd', 'relaxed'];

/**
 * @param {import('./run.mjs').Options} options browser: that one alone; workloads: parts of names, `creek` too
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function loops({ workloads, browser, quick }) {
  const { engines, absent } = findEngines();
  const names = LOOPS.map(({ name }) => name).filter((name) => isWanted(name, workloads));
  const steps = isWanted('creek', workloads);
  if (!names.length && !steps) throw new Error(`no loop is called ${workloads.join(' or ')}`);
  const { processes, timing } = quick ? QUICK : FULL;
  const notes = absent.map((name) => `absent: ${name}`);
  const results = [];
  for (const { name, run } of engines) {
    const chosen = browser ? name.toLowerCase().startsWith(browser) : true;
    if (!chosen || !ENGINES.includes(name)) continue;
    const runs = [];
    for (let i = 0; i < processes; i++) {
      console.error(`${name}: process ${i + 1} of ${processes}`);
      const given = { names, steps, timing };
      const ran = await persist(
        () => run(WORK, given),
        (why) => notes.push(`${name} failed: ${why}`),
      );
      if (ran) runs.push(ran.value);
    }
    if (runs.length) results.push({ name, ...merge(runs) });
  }
  const titles = [...new Set(results.flatMap(({ timings }) => Object.keys(timings)))];
  const compared = results.filter(({ name }) => name !== BASE);
  const base = results.find(({ name }) => name === BASE);
  const median = (result, title, who) => result.timings[title]?.[who]?.median;
  const slow = [];
  const rowsOf = (title, who) => {
    if (!results.some((result) => median(result, title, who))) return [];
    const ratios = compared.map((result) => {
      const ratio = base && median(result, title, who) / median(base, title, who);
      if (ratio > SLOW) slow.push(`${title}, ${who} in ${result.name}: ${ratio.toFixed(2)}`);
      return ratio || '–';
    });
    return [
      [title, who, ...results.map((result) => 1000 * median(result, title, who) || '–'), ...(base ? ratios : [])],
    ];
  };
  return {
    title: 'The loops around the products, float32, one thread',
    tables: [
      {
        title: `Microseconds; and times ${BASE}'s`,
        columns: [
          'loop',
          'contestant',
          ...results.map(({ name }) => name),
          ...(base ? compared.map(({ name }) => `${name} / ${BASE}`) : []),
        ],
        rows: titles.flatMap((title) =>
          VARIANTS.flatMap((variant) => [
            ...rowsOf(title, `ours ${variant}`),
            ...rowsOf(title, `ours ${variant}, arrays`),
          ]),
        ),
      },
      besidePeers(results, titles),
    ],
    notes: [
      ...notes,
      slow.length
        ? `More than ${SLOW} times ${BASE}'s time:\n  ${slow.join('\n  ')}`
        : `No loop takes more than ${SLOW} times ${BASE}'s time.`,
      'Without ", arrays": the exported C function on data in its memory. Arrays: through the JS API, copied in and ' +
        "out. creek: a batch of its recipe, 64 sentences; gradients include the loss's pass, a step both.",
    ],
  };
}

/** @param {string} name @param {string[]} parts */
const isWanted = (name, parts) =>
  !parts.length || parts.some((part) => name.toLowerCase().includes(part.toLowerCase()));

/** Arrays in and out for all. */
function besidePeers(results, titles) {
  const theirs = (result, title, pattern) => {
    const ms = result.timings[title] ? fastest(result.timings[title], pattern) : Infinity;
    return ms < Infinity ? 1000 * ms : '–';
  };
  const rows = titles.flatMap((title) =>
    results.flatMap((result) => {
      const tfjs = theirs(result, title, /^tfjs, arrays/);
      const ort = theirs(result, title, /^ORT/);
      const better = Math.min(...[tfjs, ort].filter((us) => typeof us === 'number'));
      if (better === Infinity) return [];
      const times = (who) => better / 1000 / result.timings[title][who]?.median || '–';
      return [[title, result.name, tfjs, ort, ...VARIANTS.map((variant) => times(`ours ${variant}, arrays`))]];
    }),
  );
  return {
    title: 'The peers, microseconds, arrays in and out; and how many times faster ours is than the better one',
    columns: ['loop', 'engine', 'tfjs', 'ORT', 'ours simd x', 'ours relaxed x'],
    rows,
  };
}
