// What the page has to tell its reader above the pictures, in sentences.

import { entryOf } from '../models/catalogue.js';
import { MAX_TOKENS, visible } from '../engine/tokens.js';

/** @type {Record<string, string>} */
const SWITCHES = {
  scoreScale: 'the score scale',
  causal: 'the mask',
  positions: 'positions',
  norm: 'LayerNorm',
  residual: 'residual connections',
  activation: 'the activation',
};

/**
 * @param {object} now
 * @param {import('../engine/plan.js').Plan} now.plan
 * @param {import('../models/catalogue.js').ModelName} now.model
 * @param {import('../engine/plan.js').Description | undefined} now.description
 * @param {string[]} now.changed switches that stand otherwise than in training
 * @param {import('../engine/worker.js').Facts | undefined} now.facts of the shown picture
 * @param {import('../engine/worker.js').Problem | null} now.error
 * @param {boolean} now.busy for so long that it should be said
 * @returns {string}
 */
export function noticeOf({
  plan: { tokens, ids, targetIds, settings },
  model,
  description,
  changed,
  facts,
  error,
  busy,
}) {
  const lines = [];
  const unknown = description ? unknownWords(tokens.encoder ?? tokens.decoder) : [];
  if (unknown.length) {
    const one = unknown.length === 1;
    lines.push(
      `${listed(unknown)} ${one ? 'is' : 'are'} not among the ${description?.vocabulary.length} words that this model knows. It cannot read ` +
        `${one ? 'it, so it is' : 'them, so they are'} left out: the numbers are those of the text without ${one ? 'it' : 'them'}.`,
    );
  }
  if (!ids.length || targetIds?.length === 0) lines.push('There is nothing to compute yet: type a word or two.');
  if (tokens.encoder?.truncated || tokens.decoder?.truncated) {
    lines.push(`Only the first ${MAX_TOKENS} tokens are used; the rest of the text is left out.`);
  }
  const longest = entryOf(model)?.longest ?? Infinity;
  if (ids.length > longest)
    lines.push(
      `Longer than any sentence that the model was trained on (${longest} words), so do not trust its answers.`,
    );
  if (changed.length) {
    lines.push(
      `The model was not trained this way (${listedPlain(changed.map((name) => SWITCHES[name] ?? name))}): the same weights run with other switches.`,
    );
  }
  if (facts?.absent.length) {
    lines.push(
      `Its file has no ${listedPlain(facts.absent.map((name) => name.replace(/^.*?\.(?=\w+\.weight$)/, '')).slice(0, 2))} for that, so fresh initial values stand there.`,
    );
  }
  if (error?.code === 'unsupported') {
    lines.push(
      `This browser has no WebAssembly SIMD, or a policy of the page is against it, so nothing can be computed (${error.message}).`,
    );
  } else if (error && !(error.parameter in settings)) lines.push(error.message);
  if (error && facts) lines.push('The pictures show the last settings that worked.');
  if (!error && facts && !facts.finite) {
    lines.push(
      'Some results are not numbers any more (NaN or infinity): with these settings the values grow beyond what 32-bit floats hold.',
    );
  }
  if (busy) lines.push('Computing…');
  return lines.join(' ');
}

/** @param {import('../engine/plan.js').Tokens | null} tokens */
function unknownWords(tokens) {
  const { words, ids } = tokens?.shown ?? { words: [], ids: [] };
  return [...new Set(words.filter((_, i) => ids[i] === null).map((word) => `“${visible(word)}”`))];
}

const MOST_LISTED = 6;

/** @param {string[]} words */
const listed = (words) =>
  words.length > MOST_LISTED
    ? `${words.slice(0, MOST_LISTED).join(', ')} and ${words.length - MOST_LISTED} more`
    : listedPlain(words);

const list = new Intl.ListFormat('en');
/** @param {string[]} words */
const listedPlain = (words) => list.format(words);
