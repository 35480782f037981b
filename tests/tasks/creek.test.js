import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maskSentence } from '../../src/tasks/creek-batch.js';
import { drawSentence } from '../../src/tasks/creek-grammar.js';
import { Random, creek } from '../../src/tasks/index.js';
import { NOUNS, adjectivesOf, objectOf, parse, subjectOf, verbsOf } from './creek-checker.js';
import { countBy, fits, reaches, rowsOf, take, uniform } from './helpers.js';

const textOf = ({ tokens }) => tokens.map(({ word }) => word).join(' ');
const pool = creek.pool(11);
const parsed = pool.map((sentence) => ({ sentence, text: textOf(sentence), parts: parse(textOf(sentence)) }));
const of = (family) => parsed.filter(({ parts }) => parts?.family === family).map(({ parts }) => parts);
const isThing = (noun) => !['animal', 'man', 'woman'].includes(NOUNS[noun].kind);

describe('creek: grammar', () => {
  test('the checker refuses what the grammar does not say', () => {
    for (const text of [
      'the creek were cold and the spunky dog wanted to jump over it .',
      'the creek was cold and the spunky dog wanted to jump over them .',
      'the creek was tired and the spunky dog wanted to jump over it .',
      'the creek was cold and the deep dog wanted to jump over it .',
      'the creek was cold and the dog wanted to eat it .',
      'the creek was cold and the dog wanted to jumped over it .',
      'the boy helped the girl .',
      'the mat sat on the cat .',
      'the dog did not jump over the creek because she was tired .',
      'the dog near the river jumped over the creek because it was tired .',
      'the cat sat on the mat',
      'cat sat on the mat .',
      'the dog near the mat jumped over the creek near the mat because it was tired .',
    ])
      assert.equal(parse(text), null, text);
  });

  test('every sentence is of the grammar, in its family, and its pronouns stand for what is said', () => {
    for (const { sentence, text, parts } of parsed) {
      assert.equal(parts?.family, sentence.family, text);
      const pronouns = sentence.tokens.filter(({ role }) => role === 'pronoun');
      assert.deepEqual(
        pronouns.map(({ link }) => sentence.tokens[link].word),
        parts.antecedents,
        text,
      );
      const decided = parts.family === 'F2' && subjectOf(parts.agent) === subjectOf(parts.object);
      assert.equal(sentence.decided, decided, text);
    }
  });

  test('roles and links agree with the table', () => {
    for (const { tokens } of pool) {
      tokens.forEach(({ word, role, link, kind, plural }, at) => {
        if (role === 'word') return assert.deepEqual([link, kind], [-1, null]);
        const linked = tokens[link].role === 'pronoun' ? tokens[tokens[link].link].word : tokens[link].word;
        assert.deepEqual({ kind, plural }, NOUNS[linked]);
        if (role === 'noun') assert.equal(link, at);
        if (role === 'adjective') assert.equal(link, at + 1);
        if (role === 'adjective' || role === 'predicate') assert(adjectivesOf(linked).includes(word));
        if (role === 'be') assert.equal(word, plural ? 'were' : 'was');
        if (role === 'verb') assert(verbsOf(linked).includes(word));
        if (role === 'pronoun') assert([subjectOf(linked), objectOf(linked)].includes(word));
      });
    }
  });

  test("the readers' sentences can be said", () => {
    for (const text of [
      ...Object.values(creek.sentences),
      'the cat sat on the mat .',
      'the river was cold and the spunky dog wanted to jump over it .',
      'the dogs near the creek were hungry .',
    ]) {
      assert(parse(text), text);
      assert(
        reaches((random) => textOf(drawSentence(random)), text),
        text,
      );
    }
    assert(!reaches((random) => textOf(drawSentence(random)), 'the mat sat on the cat .'));
  });

  test('147 words, and all of them are used; the longest sentence has 17', () => {
    assert.equal(creek.vocabulary.size, 147);
    assert.deepEqual(creek.vocabulary.words.slice(0, 3), ['[PAD]', '[MASK]', '.']);
    const used = new Set(pool.flatMap(({ tokens }) => tokens.map(({ word }) => word)));
    assert.deepEqual(
      creek.vocabulary.words.filter((word) => !used.has(word)),
      ['[PAD]', '[MASK]'],
    );
    assert.equal(Math.max(...pool.map(({ tokens }) => tokens.length)), 17);
  });
});

describe('creek: probabilities', () => {
  const share = (list, rule) => countBy(list, (one) => Boolean(rule(one)));
  const odds = (p) => ({ true: p, false: 1 - p });

  test('families, classes, numbers', () => {
    assert(
      fits(
        countBy(pool, ({ family }) => family),
        { F1: 6, F2: 7, F3: 3, F4: 3, F5: 3, F6: 1 },
      ),
    );
    const two = parsed.map(({ parts }) => parts).filter(({ agent }) => agent);
    assert(
      fits(
        countBy(two, ({ agent }) => NOUNS[agent].kind),
        { animal: 2, man: 1, woman: 1 },
      ),
    );
    assert(
      fits(
        share(two, ({ agent }) => NOUNS[agent].plural),
        odds(0.3),
      ),
    );
    assert(
      fits(
        share(two, ({ object }) => NOUNS[object].plural),
        odds(0.3),
      ),
    );
    // A redrawn object comes from 9 entries until it has another class.
    const animal = two.filter(({ agent }) => NOUNS[agent].kind === 'animal');
    const human = two.filter(({ agent }) => NOUNS[agent].kind !== 'animal');
    assert(
      fits(
        share(animal, ({ object }) => isThing(object)),
        odds(0.75 + 0.125 * (5 / 7)),
      ),
    );
    assert(
      fits(
        share(human, ({ object }) => isThing(object)),
        odds(0.75 + 0.125 * (5 / 7)),
      ),
    );
    const things = two.filter(({ object }) => isThing(object));
    assert(
      fits(
        countBy(things, ({ object }) => NOUNS[object].kind),
        uniform(['water', 'wood', 'food', 'toy', 'place']),
      ),
    );
    assert(
      fits(
        countBy(animal, ({ agent }) => agent.replace(/(?<=fox)es|s$/, '')),
        uniform(['dog', 'cat', 'fox', 'horse', 'rabbit', 'goat']),
      ),
    );
  });

  test('F1', () => {
    assert(
      fits(
        share(of('F1'), ({ near }) => near),
        odds(0.35),
      ),
    );
    assert(
      fits(
        countBy(of('F1'), ({ conjunction }) => conjunction),
        uniform(['and', 'so', 'but']),
      ),
    );
    assert(
      fits(
        share(of('F1'), ({ ofAgent }) => ofAgent),
        odds(0.7),
      ),
    );
    assert(
      fits(
        countBy(of('F1'), ({ way }) => way ?? 'past'),
        { 'wanted to': 0.6, 'did not': 0.2, past: 0.2 },
      ),
    );
    const near = of('F1').filter((one) => one.near && NOUNS[one.object].kind === 'water');
    assert(
      fits(
        countBy(near, (one) => NOUNS[one.near].kind),
        uniform(['wood', 'food', 'toy', 'place']),
      ),
    );
    assert(
      fits(
        share(near, (one) => NOUNS[one.near].plural),
        odds(0.3),
      ),
    );
  });

  test('F2: which noun is meant is a coin flip, and so it is where only the adjective tells', () => {
    assert(
      fits(
        share(of('F2'), ({ ofAgent }) => ofAgent),
        odds(0.2),
      ),
    );
    assert(
      fits(
        share(of('F2'), ({ near1 }) => near1),
        odds(0.5 * 0.35),
      ),
    );
    assert(
      fits(
        share(
          of('F2').filter(({ near1 }) => !near1),
          ({ near2 }) => near2,
        ),
        odds(0.35),
      ),
    );
    assert(
      fits(
        countBy(of('F2'), ({ way }) => way ?? 'past'),
        { 'did not': 0.4, 'wanted to': 0.3, past: 0.3 },
      ),
    );
    assert(
      fits(
        share(of('F2'), ({ agent, antecedents }) => antecedents[0] === agent),
        odds(0.5),
      ),
    );
    const same = of('F2').filter(({ agent, object }) => subjectOf(agent) === subjectOf(object));
    assert(same.length > 1000);
    assert(
      fits(
        share(same, ({ agent, antecedents }) => antecedents[0] === agent),
        odds(0.5),
      ),
    );
  });

  test('F4', () => {
    assert(
      fits(
        share(of('F4'), ({ ofAgent }) => ofAgent),
        odds(0.6),
      ),
    );
    assert(
      fits(
        share(of('F4'), ({ ofObject }) => ofObject),
        odds(0.6),
      ),
    );
  });
});

describe('creek: batches', () => {
  const batches = take(creek.batches(11), 20);
  const { vocabulary } = creek;
  const [PAD, MASK] = [0, 1];

  test('rows are padded to 19, what is padding is said, and nothing is asked of it', () => {
    for (const { ids, padding, labels } of batches) {
      for (const { shape } of [ids, padding, labels]) assert.deepEqual(shape, [64, 19]);
      ids.data.forEach((id, i) => {
        assert.equal(padding.data[i], Number(id === PAD));
        if (id === PAD) assert.equal(labels.data[i], -100);
        assert(id >= 0 && id < vocabulary.size);
      });
    }
  });

  test('words are chosen with p = .2 and pronouns with .3; of every other pronoun the antecedent is asked', () => {
    const random = new Random(2);
    const chosen = { pronoun: [], word: [] };
    const fates = [];
    for (const sentence of pool.slice(0, 8000)) {
      const { ids, labels } = maskSentence(sentence, random);
      const antecedents = parse(textOf(sentence)).antecedents.map((noun) => vocabulary.id(noun));
      sentence.tokens.forEach(({ word, role }, at) => {
        const id = vocabulary.id(word);
        const isPronoun = role === 'pronoun';
        const otherwise = isPronoun ? antecedents.shift() : -100;
        const isChosen = labels[at] === id;
        assert(isChosen || (labels[at] === otherwise && ids[at] === id), textOf(sentence));
        chosen[isPronoun ? 'pronoun' : 'word'].push(isChosen);
        if (isChosen) fates.push({ [MASK]: 'hidden', [id]: 'kept' }[ids[at]] ?? 'replaced');
        if (isChosen) assert(ids[at] !== PAD);
      });
      assert.equal(antecedents.length, 0);
    }
    const is = (x) => x;
    assert(fits(countBy(chosen.word, is), { true: 0.2, false: 0.8 }));
    assert(fits(countBy(chosen.pronoun, is), { true: 0.3, false: 0.7 }));
    // One word in 145 is replaced by itself.
    assert(fits(countBy(fates, is), { hidden: 0.8, replaced: 0.1 * (144 / 145), kept: 0.1 * (146 / 145) }));
  });

  test('a batch holds sentences of the pool', () => {
    const known = new Set(pool.map(textOf));
    let whole = 0;
    for (const { ids, labels } of batches) {
      rowsOf(ids).forEach((row, b) => {
        const words = row.map((id, t) => (id === MASK ? labels.data[b * 19 + t] : id)).filter((id) => id !== PAD);
        whole += Number(known.has(vocabulary.decode(words)));
      });
    }
    assert(whole / (64 * batches.length) > 0.75, 'all but those with a replaced word');
  });
});

describe('creek: held-out', () => {
  const heldOut = creek.heldOut(11);
  const trained = new Set(pool.map(textOf));

  test('no sentence and no minimal pair was trained on', () => {
    assert(heldOut.sentences.length > 3300 && heldOut.sentences.length < 3700, `${heldOut.sentences.length}`);
    assert(heldOut.sentences.every((sentence) => !trained.has(textOf(sentence))));
    const rows = heldOut.pairs.flatMap(({ batch }) => rowsOf(batch.ids));
    assert.equal(rows.length, 600);
    const texts = rows.map((row) => creek.vocabulary.decode(row.filter((id) => id > 0)));
    assert(texts.every((text) => !trained.has(text)));
    texts.forEach((text, i) => {
      const { family, agent, object, antecedents } = parse(text);
      assert.deepEqual([family, antecedents[0]], ['F2', i % 2 === 0 ? agent : object], text);
    });
    // Trained sentences show up when the data are those of another seed.
    const other = new Set(creek.pool(12).map(textOf));
    assert(heldOut.sentences.some((sentence) => other.has(textOf(sentence))));
  });

  test('the questions of a family are spread as in training', () => {
    const held = heldOut.sentences.map((sentence) => parse(textOf(sentence))).filter(({ family }) => family === 'F2');
    assert(
      fits(
        countBy(held, ({ agent, antecedents }) => antecedents[0] === agent),
        uniform(['true', 'false']),
      ),
    );
    assert(
      fits(
        countBy(held, ({ agent }) => NOUNS[agent].kind),
        { animal: 2, man: 1, woman: 1 },
      ),
    );
    assert(
      fits(
        countBy(
          held.filter(({ object }) => isThing(object)),
          ({ object }) => NOUNS[object].kind,
        ),
        uniform(['water', 'wood', 'food', 'toy', 'place']),
      ),
    );
    assert.deepEqual([...new Set(heldOut.sentences.map(({ family }) => family))].sort(), [
      'F1',
      'F2',
      'F3',
      'F4',
      'F5',
      'F6',
    ]);
  });

  test('another sample is another set, the same one the same', () => {
    const texts = (options) => creek.heldOut(11, options).sentences.map(textOf).join();
    assert.equal(texts({ sample: 0 }), heldOut.sentences.map(textOf).join());
    assert.notEqual(texts({ sample: 1 }), texts({ sample: 0 }));
    assert.throws(() => creek.heldOut(11, { smaple: 1 }), { code: 'unknown', parameter: 'smaple' });
    assert.throws(() => creek.heldOut(-1), { code: 'range', parameter: 'seed' });
  });
});
