import { parseArgs } from 'node:util';

/**
 * Reads a command line: names, and options whose values are whole numbers or words. On a mistake it says why and ends
 * the process with code 2.
 * @param {string} usage
 * @param {object} what
 * @param {string[]} what.names that are allowed
 * @param {RegExp} [what.files] what other names must look like, which are files
 * @param {number} what.least of them that must be given
 * @param {number} what.most
 * @param {Record<string, number>} [what.counts] options that are whole numbers, and the least of each
 * @param {Record<string, RegExp>} [what.words] options that are words, and what they must look like
 * @returns {any} `names`, and each option that was given
 */
export function readCommand(usage, { names, files, least, most, counts = {}, words = {} }) {
  const refuse = (/** @type {string} */ why) => {
    console.error(`${why}\n${usage}`);
    process.exit(2);
  };
  const string = { type: /** @type {const} */ ('string') };
  const options = Object.fromEntries([...Object.keys(counts), ...Object.keys(words)].map((name) => [name, string]));
  let parsed;
  try {
    parsed = parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const stranger = positionals.find((name) => !names.includes(name) && !files?.test(name));
  if (stranger !== undefined) refuse(`${stranger} is none of ${names.join(', ')}`);
  if (positionals.length < least || positionals.length > most) refuse(`${positionals.length} names are given`);
  /** @type {Record<string, unknown>} */
  const result = { names: positionals };
  for (const [name, value] of Object.entries(values)) {
    const text = String(value);
    const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
    if (name in counts && !(number >= counts[name] && number < 2 ** 32))
      refuse(`--${name} must be a whole number from ${counts[name]}, is ${text}`);
    if (name in words && !words[name].test(text)) refuse(`--${name} must match ${words[name]}, is ${text}`);
    result[name] = name in counts ? number : text;
  }
  return result;
}
