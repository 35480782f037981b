// Makes a T5's spiece.model a tokenizer.json, as Hugging Face's library does. Fetched when such a folder is opened.
import { GlassformerError } from '../errors.js';
import { readSpm } from '../formats/spm.js';

const NAME = 'spiece.model';
const SPACE = '\u2581';
const END = '</s>';
/** Sentinels of a T5 beside its pieces (Raffel et al. 2020, section 3.1.4). */
const USUAL = 100;
/** More ids than any table of an embedding has rows. */
const MOST = 2 ** 20;

/** @param {Uint8Array} bytes */
const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/**
 * The numbers of the sentinels, in the order of their ids, which come after the pieces.
 * @param {Record<string, any>} said by tokenizer_config.json
 */
function sentinelsOf({ extra_ids: count, additional_special_tokens: named }) {
  const listed = Array.isArray(named) ? named.filter((each) => /^<extra_id_\d+>$/.test(each?.content ?? each)) : [];
  const all = count ?? (listed.length || USUAL);
  if (Number.isInteger(all) && all >= 0 && all <= MOST) return Array.from({ length: all }, (_, i) => all - 1 - i);
  throw new GlassformerError(
    'format',
    'tokenizer_config.json: extra_ids',
    count,
    `must be an integer from 0 to ${MOST}`,
  );
}

/**
 * @param {Uint8Array} bytes of spiece.model
 * @param {Record<string, any>} said by tokenizer_config.json
 * @returns {Record<string, unknown>} tokenizer.json
 * @throws {GlassformerError} format, unsupported, by the name of the file
 */
export function tokenizerOf(bytes, said) {
  const { kind, pieces, charsmap } = readSpm(bytes, NAME);
  if (kind !== 'unigram') throw new GlassformerError('unsupported', NAME, kind, 'is not read here: it cuts by BPE');
  const sentinels = sentinelsOf(said).map((i) => ({ piece: `<extra_id_${i}>`, score: 0, type: 'control' }));
  const all = [...pieces, ...sentinels];
  const end = pieces.findIndex(({ piece }) => piece === END);
  const metaspace = { type: 'Metaspace', replacement: SPACE, prepend_scheme: 'always', split: true };
  const closing = { SpecialToken: { id: END, type_id: 0 } };
  const of = (/** @type {string} */ id) => ({ Sequence: { id, type_id: 0 } });
  const added = all.flatMap(({ piece: content, type }, id) => {
    const special = type === 'control' || type === 'unknown';
    if (!special && type !== 'user-defined') return [];
    return [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special }];
  });
  return {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: added },
    normalizer: charsmap ? { type: 'Precompiled', precompiled_charsmap: toBase64(charsmap) } : null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, metaspace] },
    post_processor:
      end < 0
        ? null
        : {
            type: 'TemplateProcessing',
            single: [of('A'), closing],
            pair: [of('A'), closing, of('B'), closing],
            special_tokens: { [END]: { id: END, ids: [end], tokens: [END] } },
          },
    decoder: metaspace,
    model: {
      type: 'Unigram',
      unk_id: pieces.findIndex(({ type }) => type === 'unknown'),
      vocab: all.map(({ piece, score }) => [piece, score]),
      byte_fallback: false,
    },
  };
}
