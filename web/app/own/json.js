// JSON of a reader's file, which anybody may have made.

const DEEPEST = 127; // as in headers of safetensors files

/**
 * What a text says; refused where brackets stand in brackets beyond all use, for which JSON.parse would need fifty
 * times the text's memory.
 * @param {string} text
 * @returns {any}
 * @throws {Error}
 */
export function parseJson(text) {
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) isQuoted = !isQuoted;
    else if (isQuoted) i += Number(code === 92);
    // [ and { are 91 but for the bit of lower case, ] and } 93; what else is beyond 90 is no JSON.
    else if ((code & ~32) > 90 && (depth += 92 - (code & ~32)) > DEEPEST) throw new Error('it is nested too deep');
  }
  return JSON.parse(text);
}
