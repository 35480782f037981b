import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random, story } from '../../src/tasks/index.js';
import { drawStory } from '../../src/tasks/story-grammar.js';
import { countBy, fits, perfect, reaches, rowKeys, rowsOf, take } from './helpers.js';

// The grammar of RECIPES.md C.2 read a second time.
const CLASSES = {
  animal: ['dog cat fox horse rabbit goat', 'spunky hungry sleepy brave tired playful', 'it'],
  man: ['boy king farmer', 'kind angry rich clever polite', 'he'],
  woman: ['girl queen nurse', 'kind angry rich clever polite', 'she'],
  food: ['bone cake apple carrot', 'tasty fresh sweet ripe', { eat: 'ate', smell: 'smelled' }],
  toy: ['ball kite stick hat', 'red shiny new round', { chase: 'chased', catch: 'caught' }],
  place: ['mat rug bed sofa', 'soft clean warm dusty', { 'sit on': 'sat on', 'sleep on': 'slept on' }],
  water: [
    'creek river puddle pond',
    'cold deep muddy shallow',
    { 'jump over': 'jumped over', 'drink from': 'drank from' },
  ],
  wood: [
    'fence wall log gate',
    'high wooden broken narrow',
    { 'jump over': 'jumped over', 'hide behind': 'hid behind' },
  ],
};
const classOf = (noun) => Object.keys(CLASSES).find((name) => CLASSES[name][0].split(' ').includes(noun));
const AGENT = ['animal', 'man', 'woman'];

/** The parts of a story, or null. @param {string} text */
function parse(text) {
  const seen = /^one day (an?) (\w+) (\w+)(?: and (an?) (\w+))? saw (an?) (?:(\w+) )?(\w+) \. /;
  const wanted = /the (\w+) wanted to (.+?) it (.*) the end \.$/;
  const start = new RegExp(seen.source + wanted.source).exec(text);
  if (!start) return null;
  const [, a1, adjective, agent, a2, other, a3, ofThing, thing, again, verb, rest] = start;
  const [mine, its, theirs] = [agent, thing, other ?? agent].map(classOf);
  if (!AGENT.includes(mine) || !its || AGENT.includes(its) || !AGENT.includes(theirs)) return null;
  const past = CLASSES[its][2][verb];
  const lost = `but the ${other} ${past} it first . so the ${agent} was sad .`;
  const won = `. so ${CLASSES[mine][2]} ${past} it . then the ${agent} was happy .`;
  const article = (word) => (/^[aeiou]/.test(word) ? 'an' : 'a');
  const good =
    again === agent &&
    past &&
    CLASSES[mine][1].split(' ').includes(adjective) &&
    (!other || theirs !== mine) &&
    (!ofThing || CLASSES[its][1].split(' ').includes(ofThing)) &&
    a1 === article(adjective) &&
    (!other || a2 === article(other)) &&
    a3 === article(ofThing ?? thing) &&
    (rest === won || (other && rest === lost));
  return good ? { agent, other, thing, ofThing, verb, lost: rest === lost } : null;
}

const random = new Random(4);
const stories = Array.from({ length: 20000 }, () => drawStory(random));
const textOf = (tokens) => tokens.map(({ word }) => word).join(' ');

describe('story: grammar', () => {
  test('the checker refuses what the grammar does not say', () => {
    for (const text of [
      'one day a angry king saw a cake . the king wanted to eat it . so he ate it . then the king was happy . the ' +
        'end .',
      'one day a rich king saw a apple . the king wanted to eat it . so he ate it . then the king was happy . the ' +
        'end .',
      'one day a rich king saw a cake . the king wanted to eat it . so she ate it . then the king was happy . the ' +
        'end .',
      'one day a rich king saw a cake . the king wanted to eat it . so he smelled it . then the king was happy . ' +
        'the end .',
      'one day a rich king and a boy saw a cake . the king wanted to eat it . so he ate it . then the king was ' +
        'happy . the end .',
      'one day a rich king saw a cake . the king wanted to eat it but the dog ate it first . so the king was sad . ' +
        'the end .',
    ]) {
      assert.equal(parse(text), null, text);
    }
  });

  test('every story is of the grammar', () => {
    for (const tokens of stories) assert(parse(textOf(tokens)), textOf(tokens));
    assert(stories.some((tokens) => textOf(tokens).includes(' an angry ')));
    assert(stories.some((tokens) => textOf(tokens).includes(' an apple ')));
  });

  test('the story of RECIPES.md can be named', () => {
    const text =
      'one day a rich queen and a farmer saw a red stick . the queen wanted to catch it . so she caught it . then ' +
      'the queen was happy . the end .';
    assert(!parse(text) === false);
    assert(reaches((source) => textOf(drawStory(source)), text));
  });

  test('107 words (106 and an), all used; the longest story has 37', () => {
    assert.equal(story.vocabulary.size, 107);
    assert.equal(story.vocabulary.token(0), '[PAD]');
    const used = new Set(stories.flatMap((tokens) => tokens.map(({ word }) => word)));
    assert.deepEqual(
      story.vocabulary.words.filter((word) => !used.has(word)),
      ['[PAD]'],
    );
    assert.equal(Math.max(...stories.map((tokens) => tokens.length)), 37);
  });

  test('probabilities', () => {
    const parts = stories.map((tokens) => parse(textOf(tokens)));
    const share = (list, rule, p) =>
      assert(
        fits(
          countBy(list, (one) => Boolean(rule(one))),
          { true: p, false: 1 - p },
        ),
      );
    assert(
      fits(
        countBy(parts, ({ agent }) => classOf(agent)),
        { animal: 2, man: 1, woman: 1 },
      ),
    );
    assert(
      fits(
        countBy(parts, ({ thing }) => classOf(thing)),
        { food: 1, toy: 1, place: 1, water: 1, wood: 1 },
      ),
    );
    share(parts, ({ other }) => other, 0.5);
    share(parts, ({ ofThing }) => ofThing, 0.6);
    share(
      parts.filter(({ other }) => other),
      ({ lost }) => lost,
      0.6,
    );
    const men = parts.filter(({ agent, other }) => other && classOf(agent) === 'man');
    assert(
      fits(
        countBy(men, ({ other }) => classOf(other)),
        { animal: 2, woman: 1 },
      ),
    );
  });

  test('determined words and first mentions', () => {
    for (const tokens of stories.slice(0, 2000)) {
      const words = tokens.map(({ word }) => word);
      const { agent, other, thing, verb, lost } = parse(textOf(tokens));
      const past = CLASSES[classOf(thing)][2][verb].split(' ');
      const wanted = words.flatMap((word, at) => {
        const named = words.indexOf('wanted');
        if (word === 'sad' || word === 'happy' || word === 'he' || word === 'she' || word === 'it') return [at];
        if ([agent, other].includes(word) && words[at - 1] === 'the') return [at];
        return at > named + 2 + verb.split(' ').length && past.includes(word) ? [at] : [];
      });
      assert.deepEqual(
        tokens.flatMap(({ determined }, at) => (determined ? [at] : [])),
        wanted,
        textOf(tokens),
      );
      const copies = tokens.flatMap(({ first }, at) => (first >= 0 ? [[words[at], first]] : []));
      assert.deepEqual(
        copies,
        [[agent, 3 + 0], ...(lost ? [[other, 6]] : []), [agent, 3]].map(([word]) => [word, words.indexOf(word)]),
      );
    }
  });
});

describe('story: data and scores', () => {
  const heldOut = story.heldOut(1);
  const batches = take(story.batches(1), 60);

  test('batches ask every word of those before it', () => {
    for (const { ids, padding, labels } of batches) {
      assert.deepEqual(
        [ids.shape, padding.shape, labels.shape],
        [
          [32, 36],
          [32, 36],
          [32, 36],
        ],
      );
      const outputs = rowsOf(labels);
      rowsOf(ids).forEach((row, i) => {
        const asked = outputs[i].filter((id) => id >= 0);
        assert(parse(story.vocabulary.decode([row[0], ...asked])));
        assert.deepEqual(row.slice(1, asked.length), asked.slice(0, -1));
        assert.deepEqual(outputs[i].slice(asked.length), Array(36 - asked.length).fill(-100));
        row.forEach((_, at) => assert.equal(padding.data[i * 36 + at], Number(at >= asked.length)));
      });
    }
  });

  test('500 held-out stories that no seed trains on, spread like the others', () => {
    const held = heldOut.flatMap(({ batch }) => rowKeys(batch));
    assert.equal(held.length, 500);
    const trained = new Set([...batches, ...take(story.batches(2), 60)].flatMap(rowKeys));
    assert(held.every((key) => !trained.has(key)));
    const parts = story
      .heldOut(1, { count: 3000 })
      .flatMap(({ batch }) => rowKeys(batch))
      .map((key) => parse(`${story.vocabulary.decode(key.split(' ').map(Number))} .`));
    assert(
      fits(
        countBy(parts, ({ agent }) => classOf(agent)),
        { animal: 2, man: 1, woman: 1 },
      ),
    );
    assert(
      fits(
        countBy(parts, ({ thing }) => classOf(thing)),
        { food: 1, toy: 1, place: 1, water: 1, wood: 1 },
      ),
    );
    assert(
      fits(
        countBy(parts, ({ other }) => Boolean(other)),
        { true: 1, false: 1 },
      ),
    );
  });

  test('a perfect predictor scores 1, its copy head 1; uniform attention chance', async () => {
    const score = await story.score(perfect(heldOut, true), heldOut);
    assert.deepEqual([score.accuracy, score.sequences], [1, 1]);
    assert.deepEqual(score.best, { layer: 1, head: 1, mass: 1, top1: 1 });
    assert(Math.abs(score.heads[0].mass - score.chance) < 1e-6);
    const none = await story.score((batch) => ({ argmax: new Int32Array(batch.ids.data.length) }), heldOut);
    assert.deepEqual([none.accuracy, none.sequences, none.heads.length], [0, 0, 0]);
  });

  test('questions are the determined words, links go from the word before a repeated noun to its first mention', () => {
    for (const { batch, questions } of heldOut) {
      const rows = rowsOf(batch.ids);
      for (const { row, at, accepts, links } of questions) {
        const word = story.vocabulary.token(accepts[0]);
        const repeats = story.vocabulary.token(rows[row][at]) === 'the';
        assert.deepEqual(links, repeats ? [rows[row].indexOf(accepts[0])] : []);
        assert(!repeats || AGENT.includes(classOf(word)));
      }
    }
  });
});
