import { ADJECTIVES, AGENTS, NOUNS, THINGS, VERBS, groupOf, pronounsOf } from './lexicon.js';

/** @typedef {import('./lexicon.js').NounClass} NounClass */
/** @typedef {import('./random.js').Random} Random */

/**
 * @typedef {object} StoryToken
 * @property {string} word
 * @property {boolean} determined whether the words before it leave no choice: second mentions,
 *   verbs in the past, pronouns, sad and happy
 * @property {number} first of a noun that was there before, the place of its first mention; else -1
 */

const LIKELY = { third: 0.5, adjective: 0.6, first: 0.6 };

/** Groups of the things that a story is about. */
export const STORY_VERBS = /* @__PURE__ */ THINGS.map(groupOf);

/**
 * A random story: someone wants something, and gets it unless another was first.
 * @param {Random} random
 * @returns {StoryToken[]}
 */
export function drawStory(random) {
  const agentKind = random.choose(AGENTS);
  const objectKind = random.choose(THINGS);
  const adjectives = (/** @type {NounClass} */ kind) => ADJECTIVES[groupOf(kind)];
  const noun = (/** @type {NounClass} */ kind) => random.choose(NOUNS[kind]);
  const agent = noun(agentKind);
  const otherKinds = AGENTS.filter((kind) => kind !== agentKind);
  const other = random.chance(LIKELY.third) ? noun(random.choose(otherKinds)) : '';
  const verb = random.choose(VERBS[groupOf(objectKind)]);

  /** @type {StoryToken[]} */
  const story = [];
  const say = (/** @type {string} */ text, determined = false) => {
    for (const word of text.split(' ')) story.push({ word, determined, first: -1 });
  };
  const introduce = (/** @type {string[]} */ ...words) =>
    say([/^[aeiou]/.test(words[0]) ? 'an' : 'a', ...words].join(' '));
  const again = (/** @type {string} */ word) => {
    const first = story.findIndex((token) => token.word === word);
    say('the');
    story.push({ word, determined: true, first });
  };

  say('one day');
  introduce(random.choose(adjectives(agentKind)), agent);
  if (other) {
    say('and');
    introduce(other);
  }
  say('saw');
  const thing = noun(objectKind);
  if (random.chance(LIKELY.adjective)) introduce(random.choose(adjectives(objectKind)), thing);
  else introduce(thing);
  say('.');
  again(agent);
  say(`wanted to ${verb.base.join(' ')}`);
  say('it', true);

  const past = verb.past.join(' ');
  if (other && random.chance(LIKELY.first)) {
    say('but');
    again(other);
    say(`${past} it`, true);
    say('first . so');
    again(agent);
    say('was');
    say('sad', true);
  } else {
    say('. so');
    say(`${pronounsOf({ kind: agentKind, plural: false }).subject} ${past} it`, true);
    say('. then');
    again(agent);
    say('was');
    say('happy', true);
  }
  say('. the end .');
  return story;
}
