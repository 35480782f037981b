// The known word that is spelled most like an unknown one. Fetched with the first unknown word.

/**
 * The known word that is spelled most like an unknown one: for a slip of the finger or another form of a word. Of
 * equally near words the one that begins alike for longest, then the first; none where more than half of the letters
 * differ.
 * @param {string} word
 * @param {readonly string[]} vocabulary
 * @returns {string | null}
 */
export function nearestWord(word, vocabulary) {
  const small = word.toLowerCase();
  let best = { known: '', changes: Infinity, alike: 0 };
  for (const known of vocabulary) {
    const most = Math.min(best.changes, Math.floor(Math.max(small.length, known.length) / 2));
    if (!/^\p{L}/u.test(known) || Math.abs(small.length - known.length) > most) continue;
    const changes = changesBetween(small, known);
    const alike = sharedBeginning(small, known);
    if (changes <= most && (changes < best.changes || alike > best.alike)) best = { known, changes, alike };
  }
  if (!best.known) return null;
  return small[0] === word[0] ? best.known : best.known[0].toUpperCase() + best.known.slice(1);
}

const LONG = 5; // letters

/** Whether one letter is wrong in a long word. @param {string} word @param {readonly string[]} vocabulary */
export const isSlip = (word, vocabulary) =>
  word.length >= LONG &&
  vocabulary.some(
    (known) => Math.abs(known.length - word.length) <= 1 && changesBetween(word.toLowerCase(), known) <= 1,
  );

/** Letters to add, drop or change, and neighbours to swap. @param {string} a @param {string} b */
function changesBetween(a, b) {
  /** @type {number[]} */
  let before = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const swapped = a[i] === b[j - 1] && a[i - 1] === b[j] ? before[j - 1] + 1 : Infinity;
      next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + Number(a[i] !== b[j]), swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length];
}

/** @param {string} a @param {string} b */
function sharedBeginning(a, b) {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count++;
  return count;
}
