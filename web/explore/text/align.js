// Where the words of a text stand after it has been edited.

import { isContent } from '../shared/choose.js';

/**
 * For each word of `before` its index in `after`, −1 where it is gone: the longest common subsequence.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
export function keptIndices(before, after) {
  const kept = new Int32Array(before.length).fill(-1);
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) kept[start] = start++;
  const shift = after.length - before.length;
  let end = before.length;
  while (end > start && end + shift > start && before[end - 1] === after[end - 1 + shift]) kept[--end] = end + shift;
  const [rows, columns] = [end - start, end + shift - start];
  const width = columns + 1;
  const length = new Uint16Array((rows + 1) * width); // of the longest of what follows each pair of indices
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      length[i * width + j] =
        before[start + i] === after[start + j]
          ? length[(i + 1) * width + j + 1] + 1
          : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (before[start + i] === after[start + j]) kept[start + i++] = start + j++;
    else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
    else j++;
  }
  return kept;
}

/**
 * Where each index goes: with its word, or where that is gone, to what stands between its neighbours now, else to
 * the word before it.
 * @param {readonly string[]} before
 * @param {readonly string[]} after not empty
 * @returns {(index: number) => number}
 */
export function aligned(before, after) {
  const kept = keptIndices(before, after);
  return (index) => {
    if (index >= before.length) return index;
    if (kept[index] >= 0) return kept[index];
    let left = index;
    while (left >= 0 && kept[left] < 0) left--;
    const right = kept.findIndex((each, i) => i > index && each >= 0);
    const from = left < 0 ? 0 : kept[left] + 1;
    const to = right < 0 ? after.length : kept[right];
    return Math.max(0, Math.min(from + index - left - 1, to - 1, after.length - 1));
  };
}

const MOST_KEPT = 1 / 3; // of the content words of a text that has been replaced
const LEAST_CHANGED = 3;

/**
 * Whether an edit made another text of it rather than changing a word or two.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @param {Int32Array} kept the indices of the words of `before` in `after`, −1: gone
 */
export function isReplaced(before, after, kept) {
  const old = before.flatMap((word, i) => (isContent(word) ? [i] : []));
  const stayed = old.filter((i) => kept[i] >= 0).length;
  const added = after.filter(isContent).length - stayed;
  if (added < 1) return false;
  return !old.length || (stayed < MOST_KEPT * old.length && old.length - stayed + added >= LEAST_CHANGED);
}
