// Which tokens end a text that a checkpoint writes, as the files of its folder say.

/** More are no ends: a list of a whole vocabulary would let nothing be written. */
const MOST = 1024;

/**
 * The ids of generation_config.json, else of config.json, as transformers takes them: one or a list; else the token
 * that tokenizer_config.json names, else what usually ends a text in such a tokenizer.
 * @param {Record<'config', Record<string, any>> &
 *   Partial<Record<'generationConfig' | 'tokenizerConfig', Record<string, any>>>} said
 * @param {import('../texts.js').BaseTokenizer | undefined} tokenizer
 * @param {number} vocabulary rows of the model's table
 * @returns {{endIds: number[], notes: string[]}} notes: what is not read, by the name of its file
 */
export function endsIn({ config, generationConfig, tokenizerConfig }, tokenizer, vocabulary) {
  /** @type {string[]} */
  const notes = [];
  const isId = (/** @type {unknown} */ id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabulary;
  for (const [file, given] of Object.entries({ 'generation_config.json': generationConfig, 'config.json': config })) {
    const said = given?.eos_token_id ?? undefined;
    if (said === undefined) continue;
    const ids = Array.isArray(said) ? said : [said];
    if (ids.length > 0 && ids.length <= MOST && ids.every(isId)) return { endIds: [...new Set(ids)], notes };
    notes.push(`${file}: eos_token_id is not read, as it must be at most ${MOST} ids from 0 to ${vocabulary - 1}`);
  }
  const { eos_token: named } = Object(tokenizerConfig);
  const token = typeof named === 'string' ? named : Object(named).content;
  const id = typeof token === 'string' && tokenizer?.has(token) ? tokenizer.id(token) : tokenizer?.special.end;
  return { endIds: isId(id) ? [Number(id)] : [], notes };
}
