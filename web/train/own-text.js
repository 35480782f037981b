// The reader's own text: what stands in its place until there is one, and how often a short one is repeated, so that
// there is enough of it to train on.
import { WORD } from '../../src/js/text/cuts.js';

/** A nursery rhyme whose verses grow, until the reader gives another text. */
const RHYME = [
  'the house that Jack built',
  'the malt that lay in',
  'the rat that ate',
  'the cat that killed',
  'the dog that worried',
  'the cow with the crumpled horn that tossed',
  'the maiden all forlorn that milked',
  'the man all tattered and torn that kissed',
  'the priest all shaven and shorn that married',
  'the cock that crowed in the morn that woke',
  'the farmer sowing his corn that kept',
  'the horse and the hound and the horn that belonged to',
];
export const FIRST_TEXT = RHYME.map(
  (_, verse) =>
    `This is ${RHYME.slice(0, verse + 1)
      .reverse()
      .join(' ')}.`,
).join('\n');

/** Tokens that a text needs, as `makeText` cuts it into rows. */
const LEAST = 330;

/** As `makeText` counts them. @param {string} text @param {string} level */
const countOf = (text, level) =>
  level === 'characters' ? Array.from(text.replace(/\s+/g, ' ')).length : (text.match(WORD)?.length ?? 0);

/**
 * @param {string} text @param {string} level of its tokens
 * @returns {{text: string, own: number, copies: number}} what is trained on; `own`: tokens of one copy
 */
export function repeated(text, level) {
  const own = countOf(text, level);
  if (own >= LEAST || !text.trim()) return { text, own, copies: 1 };
  const trimmed = text.trim();
  const copies = Math.ceil(LEAST / countOf(trimmed, level));
  return copies > 1
    ? { text: `${trimmed}\n`.repeat(copies), own: countOf(trimmed, level), copies }
    : { text, own, copies };
}
