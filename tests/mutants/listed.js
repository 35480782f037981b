// listed.txt: the mutants that no native test notices, each under the reason. A gap is no excuse: it does not count.

/**
 * The reason of each listed mutant, by its key. A reason begins a line; the mutants are indented below it.
 * @param {string} text
 */
export function readListed(text) {
  /** @type {Map<string, string>} */
  const found = new Map();
  let reason = '';
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) reason = line;
    else if (line.trim()) found.set(line.trim(), reason);
  }
  return found;
}
