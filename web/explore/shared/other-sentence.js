// A sentence beside the reader's: the one that vectors are patched from.

import { readWords } from '../../engine/tokens.js';
import { entryOf } from '../../models/catalogue.js';

const MOST_DIFFERENT = 3; // tokens

/**
 * The sentence of the pinned state or of an example that differs in the fewest tokens; null: none in so few.
 * @param {Pick<import('../../engine/plan.js').Plan, 'ids'>} plan
 * @param {import('../index.js').State} state
 * @param {import('../index.js').ModelInfo} modelInfo
 */
export function otherSentence({ ids }, { model, pinned }, { vocabulary }) {
  const entry = entryOf(model);
  if (!entry || entry.read) return null; // its tokenizer reads one text at a time
  const texts = [...(pinned?.model === model ? [pinned.text] : []), ...Object.values(entry.examples)];
  const others = texts.flatMap((text) => {
    const other = readWords(text, vocabulary, entry.token).ids;
    const different = ids.filter((id, i) => id !== other[i]).length;
    return other.length === ids.length && different && different <= MOST_DIFFERENT ? [{ other, different }] : [];
  });
  return others.sort((a, b) => a.different - b.different)[0]?.other ?? null;
}
