// BLEU and chrF of a whole set of translations, by sacreBLEU's definitions (Post 2018, "A Call for Clarity in Reporting
// BLEU Scores"): BLEU with its tokenizer 13a and exponential smoothing; chrF2 without spaces (Popović 2015).

/** Counts each n-gram of a list. @param {readonly string[]} list @param {number} n */
function counts(list, n) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (let i = 0; i + n <= list.length; i++) {
    const gram = list.slice(i, i + n).join(' ');
    found.set(gram, (found.get(gram) ?? 0) + 1);
  }
  return found;
}

const sum = (/** @type {Iterable<number>} */ values) => Array.from(values).reduce((all, each) => all + each, 0);

/** The tokens of mteval-v13a for Western languages. @param {string} line */
export const tokens13a = (line) =>
  ` ${line} `
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replace(/[{-~[-` -&(-+:-@/]/g, ' $& ')
    .replace(/([^0-9])([.,])/g, '$1 $2 ')
    .replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ')
    .trim()
    .split(/\s+/);

const ORDER = 4;

/**
 * @param {readonly string[]} written
 * @param {readonly (readonly string[])[]} references of each one or more
 * @returns {number} 0 to 100
 */
export function bleu(written, references) {
  const right = Array(ORDER).fill(0);
  const all = Array(ORDER).fill(0);
  let length = 0;
  let wanted = 0;
  written.forEach((line, i) => {
    const own = tokens13a(line);
    const others = references[i].map(tokens13a);
    length += own.length;
    // Of references as near in length the shorter one.
    wanted += others.map((other) => other.length).sort((a, b) => nearness(a, b, own.length))[0];
    for (let n = 1; n <= ORDER; n++) {
      const limits = others.map((other) => counts(other, n));
      for (const [gram, count] of counts(own, n)) {
        right[n - 1] += Math.min(count, Math.max(...limits.map((limit) => limit.get(gram) ?? 0)));
        all[n - 1] += count;
      }
    }
  });
  if (right.every((count) => count === 0)) return 0;
  let smooth = 1;
  const logs = right.map((count, i) => {
    if (all[i] === 0) return -Infinity;
    return Math.log(count ? count / all[i] : 1 / ((smooth *= 2) * all[i]));
  });
  const brevity = length < wanted ? Math.exp(1 - wanted / length) : 1;
  return 100 * brevity * Math.exp(sum(logs) / ORDER);
}

/** @param {number} a @param {number} b @param {number} length */
const nearness = (a, b, length) => Math.abs(a - length) - Math.abs(b - length) || a - b;

const LETTERS = 6;

/**
 * @param {readonly string[]} written
 * @param {readonly string[]} references one each
 * @param {{beta?: number}} [how] so many times as much weight on recall as on precision
 * @returns {number} 0 to 100
 */
export function chrf(written, references, { beta = 2 } = {}) {
  const orders = Array.from({ length: LETTERS }, () => ({ own: 0, other: 0, both: 0 }));
  written.forEach((line, i) => {
    const [own, other] = [line, references[i]].map((text) => Array.from(text.replace(/\s+/g, '')));
    orders.forEach((order, n) => {
      const [mine, limits] = [own, other].map((letters) => counts(letters, n + 1));
      order.own += sum(mine.values());
      order.other += sum(limits.values());
      for (const [gram, count] of mine) order.both += Math.min(count, limits.get(gram) ?? 0);
    });
  });
  const used = orders.filter(({ own, other }) => own > 0 && other > 0);
  if (used.length === 0) return 0;
  const precision = sum(used.map(({ own, both }) => both / own)) / used.length;
  const recall = sum(used.map(({ other, both }) => both / other)) / used.length;
  const factor = beta * beta;
  return precision + recall ? (100 * (1 + factor) * precision * recall) / (factor * precision + recall) : 0;
}
