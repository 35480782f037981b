// Reads from generation_config.json, in older folders from config.json, the rules on what an encoder–decoder writes.

import { MOST_BEAMS } from '../engine/rules.js';

/** @typedef {import('../engine/rules.js').Rules} Rules */

/** More are no rules: a list of a whole vocabulary would let nothing be written. */
const MOST = 2 ** 16;
const LONGEST = 2 ** 20;

/** Settings that are on where they have another value, and are not applied here. @type {Record<string, unknown>} */
const OTHERS = {
  ...{ repetition_penalty: 1, encoder_repetition_penalty: 1, encoder_no_repeat_ngram_size: 0, diversity_penalty: 0 },
  ...{ begin_suppress_tokens: null, forced_decoder_ids: null, exponential_decay_length_penalty: null },
  ...{ sequence_bias: null, min_new_tokens: null },
};

/**
 * @param {Record<string, any>} config
 * @param {Record<string, any> | undefined} generationConfig
 * @param {{vocabulary: number, endIds: readonly number[]}} model
 * @returns {{rules: Rules, notes: string[]}} notes: what is not read
 */
export function rulesIn(config, generationConfig, { vocabulary, endIds }) {
  const said = generationConfig ?? config;
  const file = generationConfig ? 'generation_config.json' : 'config.json';
  /** @type {string[]} */
  const notes = [];
  const isId = (/** @type {unknown} */ id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabulary;
  const isIds = (/** @type {any} */ ids) => Array.isArray(ids) && ids.length <= MOST && ids.every(isId);
  const isCount = (/** @type {unknown} */ count) =>
    Number.isInteger(count) && Number(count) >= 0 && Number(count) <= LONGEST;
  /** @param {string} name @param {(value: any) => boolean} isRight @param {string} what @param {any} [from] */
  const read = (name, isRight, what, from = said) => {
    const value = from[name] ?? undefined;
    if (value === undefined || isRight(value)) return value;
    notes.push(`${file}: ${name} is not read, as it must be ${what}`);
    return undefined;
  };
  const anId = `an id from 0 to ${vocabulary - 1}`;
  const aCount = `an integer from 0 to ${LONGEST}`;
  const isBad = (/** @type {any} */ rows) =>
    Array.isArray(rows) && rows.length <= MOST && rows.every((row) => isIds(row) && row.length > 0);
  const start = [said, config].map((from) => read('decoder_start_token_id', isId, anId, from)).find((id) => id >= 0);
  const last = read('forced_eos_token_id', (ids) => isIds([ids].flat()), anId);
  const bad = read('bad_words_ids', isBad, `rows of ids from 0 to ${vocabulary - 1}`) ?? [];
  const suppressed = read('suppress_tokens', isIds, `ids from 0 to ${vocabulary - 1}`) ?? [];
  const isEnd = (/** @type {number[]} */ row) => row.length === 1 && endIds.includes(row[0]);
  const single = suppressed.map((/** @type {number} */ id) => [id]);
  const forbidden = [...bad, ...single].filter((row) => !isEnd(row));
  const beams = read(
    'num_beams',
    (count) => isCount(count) && count > 0 && count <= MOST_BEAMS,
    `an integer from 1 to ${MOST_BEAMS}`,
  );
  for (const [name, usual] of Object.entries(OTHERS))
    if ((said[name] ?? usual) !== usual) notes.push(`${file}: ${name} is not applied`);
  /** @type {Record<string, unknown>} */
  const rules = {
    start: start ?? read('bos_token_id', isId, anId),
    first: read('forced_bos_token_id', isId, anId),
    last: last === undefined ? undefined : [last].flat(),
    forbidden: forbidden.length ? forbidden : undefined,
    noRepeat: read('no_repeat_ngram_size', isCount, aCount) || undefined,
    minLength: read('min_length', isCount, aCount) || undefined,
    maxLength: read('max_length', isCount, aCount),
    beams: beams > 1 ? beams : undefined,
    lengthPenalty: read('length_penalty', Number.isFinite, 'a number'),
    earlyStopping: read('early_stopping', (how) => how === 'never' || typeof how === 'boolean', "a boolean or 'never'"),
    renormalize: read('renormalize_logits', (does) => typeof does === 'boolean', 'a boolean') || undefined,
  };
  return { rules: Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined)), notes };
}
