// Holds a file's ids, types and decoded texts to those of the library in Rust.
import { createRequire } from 'node:module';
import { GlassformerError } from '../../dist/js/errors.js';
import { loadTokenizer } from '../../dist/js/tokenizers.js';

const { Tokenizer } = createRequire(import.meta.url)('tokenizers');

/**
 * @typedef {object} Verdict
 * @property {'right' | 'refused' | 'wrong' | 'theirs'} is theirs: the library in Rust refuses the file itself
 * @property {string} why
 */

/** Texts that some tokenizers of theirs fail on, with a panic: it counts what it can answer. */
const answer = (/** @type {() => Promise<any>} */ ask) => ask().catch((/** @type {Error} */ error) => ({ error }));

/**
 * @param {any} json a tokenizer.json
 * @param {readonly string[]} texts
 * @param {{pairs?: boolean, decode?: boolean}} [options] pairs: false for each text alone, with its special tokens;
 *   decode: false for ids and types alone
 * @returns {Promise<Verdict>}
 */
export async function compare(json, texts, { pairs = true, decode = true } = {}) {
  let ours;
  try {
    ours = await loadTokenizer(json);
  } catch (error) {
    if (!(error instanceof GlassformerError) || error.parameter !== 'tokenizer') throw error;
    return { is: 'refused', why: error.message };
  }
  let theirs;
  try {
    theirs = Tokenizer.fromString(JSON.stringify(json));
  } catch (error) {
    return { is: 'theirs', why: String(error) };
  }
  const inputs = [
    ...texts.map((text) => ({ text, special: true })),
    ...texts.slice(0, pairs ? 60 : 0).map((text) => ({ text, special: false })),
    ...texts
      .slice(0, pairs ? 120 : 0)
      .map((text, i) => ({ text, pair: texts[(i * 7 + 3) % texts.length], special: i % 2 === 0 })),
    { text: '', pair: '', special: true },
    { text: 'a', pair: '', special: true },
    { text: '', pair: 'a', special: false },
  ];
  const said = await Promise.all(
    inputs.map(({ text, pair, special }) =>
      answer(() => theirs.encode(text, pair ?? null, { addSpecialTokens: special })),
    ),
  );
  for (const [i, input] of inputs.entries()) {
    const { text, ...options } = input;
    const wanted = said[i].error ? null : { ids: said[i].getIds(), types: said[i].getTypeIds() };
    let got;
    try {
      const { ids, typeIds } = ours.encode(text, options);
      got = { ids, types: typeIds };
    } catch (error) {
      if (!(error instanceof GlassformerError)) throw error;
      got = null;
      if (wanted) return { is: 'wrong', why: `${JSON.stringify(input)}: ${error.message}` };
    }
    if (JSON.stringify(got) !== JSON.stringify(wanted)) {
      const both = `${JSON.stringify(got)}, in Rust ${JSON.stringify(wanted)} ${said[i].error ?? ''}`;
      return { is: 'wrong', why: `${JSON.stringify(input)}: ${both}` };
    }
    if (!got || !decode) continue;
    for (const special of [true, false]) {
      const wantedText = await answer(() => theirs.decode(got.ids, !special));
      if (wantedText.error) continue;
      const gotText = ours.decode(got.ids, { special });
      const decoder = ours.decoder({ special });
      const streamed = got.ids.map((id) => decoder.push([id])).join('') + decoder.end();
      if (streamed !== gotText) return { is: 'wrong', why: `in parts ${JSON.stringify(streamed)}, whole ${gotText}` };
      if (gotText !== wantedText) {
        return {
          is: 'wrong',
          why: `decode ${JSON.stringify(got.ids)}: ${JSON.stringify(gotText)}, in Rust ${JSON.stringify(wantedText)}`,
        };
      }
    }
  }
  return { is: 'right', why: '' };
}
