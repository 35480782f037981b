// What stands in the place of the reader's own text until there is one.

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
