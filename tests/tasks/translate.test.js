import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { translate } from '../../src/tasks/index.js';
import { drawPair } from '../../src/tasks/translate-grammar.js';
import { countBy, fits, reaches, rowsOf, take, uniform, uniformMaps } from './helpers.js';
import { NOUNS, translate as check } from './translate-checker.js';

const pool = translate.pool(7);
const checked = pool.map((pair) => check(pair.source));
const texts = (pairs) => pairs.map(({ source }) => source.join(' '));
const { vocabulary, targetVocabulary } = translate;

describe('translate: grammar', () => {
  test('the checker refuses what the grammar does not say', () => {
    for (const text of [
      'the creek was tired .',
      'a dogs',
      'the dog were cold .',
      'the creek saw the dog .',
      'the dog jumped over the cat .',
      'the dog took the wall .',
      'the dog saw it .',
      'the dog saw the wall because it was black .',
      'the dog was under the cat .',
      'the creek was cold and the dog wanted to jump over them .',
      'this creeks',
      'the big small dog',
    ]) {
      assert.throws(() => check(text.split(' ')), text);
    }
  });

  test('a second translator says the same of every pair: family, French, links, content words', () => {
    pool.forEach((pair, i) => {
      const { family, french, links, content } = checked[i];
      assert.deepEqual(pair, { family, source: pair.source, target: french, links, content });
    });
  });

  test('every English word is linked, and nothing that French would elide is written', () => {
    for (const { source, target, links } of pool) {
      assert.deepEqual(
        [...new Set(links.flat())].sort((a, b) => a - b),
        [...source.keys()],
      );
      target.forEach((word, i) => {
        if (['le', 'la', 'ne'].includes(word)) assert(!/^[aeiouyhéèêâîôû]/.test(target[i + 1]), target.join(' '));
      });
    }
  });

  test('97 English and 147 French words, all used; at most 15 and 14 in a sentence', () => {
    assert.deepEqual([vocabulary.size, targetVocabulary.size], [97, 147]);
    assert.deepEqual(targetVocabulary.words.slice(0, 3), ['[PAD]', '[BOS]', '[EOS]']);
    const english = new Set(pool.flatMap(({ source }) => source));
    const french = new Set(pool.flatMap(({ target }) => target));
    assert.deepEqual(
      vocabulary.words.filter((word) => !english.has(word)),
      ['[PAD]'],
    );
    assert.deepEqual(
      targetVocabulary.words.filter((word) => !french.has(word)),
      ['[PAD]', '[BOS]', '[EOS]'],
    );
    assert.deepEqual(
      [Math.max(...pool.map(({ source }) => source.length)), Math.max(...pool.map(({ target }) => target.length))],
      [15, 14],
    );
  });

  test("the readers' sentences can be said, with that French", () => {
    for (const { source, target } of translate.sentences) {
      assert.equal(check(source.split(' ')).french.join(' '), target);
      let french = '';
      const draw = (random) => {
        const pair = drawPair(random);
        const text = pair.source.join(' ');
        if (text === source) french = pair.target.join(' ');
        return text;
      };
      assert(reaches(draw, source), source);
      assert.equal(french, target);
    }
  });
});

describe('translate: probabilities', () => {
  const of = (family) => checked.filter((one) => one.family === family).map(({ parts }) => parts);

  test('families, determiners, numbers, nouns', () => {
    assert(
      fits(
        countBy(pool, ({ family }) => family),
        { a: 2, b: 4, c: 5, d: 4, e: 1, g: 1 },
      ),
    );
    const determiners = checked.flatMap(({ parts }) => parts.determiners);
    assert(
      fits(
        countBy(
          determiners.filter(({ many }) => !many),
          ({ text }) => text,
        ),
        { the: 2, a: 1, this: 1 },
      ),
    );
    assert(
      fits(
        countBy(
          determiners.filter(({ many }) => many),
          ({ text }) => text,
        ),
        { the: 3, these: 1 },
      ),
    );
    assert(
      fits(
        countBy(determiners, ({ many }) => many),
        { true: 0.3, false: 0.7 },
      ),
    );
    assert(
      fits(
        countBy(of('a'), ({ phrases }) => phrases[0].noun.fr.replace(/[sx]$/, '')),
        uniform([...NOUNS.values()].filter(({ many }) => !many).map(({ fr }) => fr)),
      ),
    );
  });

  test('adjectives of each phrase, ways of the verb, who is meant', () => {
    const odds = { a: [0.4], b: [0.4, 0.4], c: [0.2, 0.4], d: [0.2, 0.4], e: [0.4, 0.4], g: [0.9] };
    for (const [family, list] of Object.entries(odds)) {
      list.forEach((p, i) =>
        assert(
          fits(
            countBy(of(family), ({ phrases }) => Boolean(phrases[i].adjective)),
            { true: p, false: 1 - p },
          ),
          `${family} ${i}`,
        ),
      );
    }
    const ways = ['b', 'c', 'd'].flatMap(of);
    assert(
      fits(
        countBy(ways, ({ way }) => way),
        { 'wanted to': 0.35, 'did not': 0.3, past: 0.35 },
      ),
    );
    assert(
      fits(
        countBy(of('d'), ({ meant }) => meant),
        { agent: 1, object: 1 },
      ),
    );
  });
});

describe('translate: data', () => {
  const heldOut = translate.heldOut(7);

  test('batches hold source, what the decoder reads, and what it is to say', () => {
    const known = new Map(pool.map(({ source, target }) => [source.join(' '), target.join(' ')]));
    for (const { sourceIds, sourcePadding, targetIds, targetPadding, labels } of take(translate.batches(7), 10)) {
      const [sources, inputs, outputs] = [sourceIds, targetIds, labels].map(rowsOf);
      for (const { shape } of [sourceIds, sourcePadding, targetIds, targetPadding, labels])
        assert.deepEqual(shape, [64, 15]);
      sources.forEach((row, i) => {
        const source = vocabulary.decode(row.filter((id) => id > 0));
        const target = known.get(source);
        const length = target.split(' ').length;
        assert.equal(targetVocabulary.decode(inputs[i].filter((id) => id > 0)), `[BOS] ${target}`);
        assert.equal(targetVocabulary.decode(outputs[i].filter((id) => id >= 0)), `${target} [EOS]`);
        assert.deepEqual(outputs[i].slice(length + 1), Array(14 - length).fill(-100));
        row.forEach((id, at) => assert.equal(sourcePadding.data[i * 15 + at], Number(id === 0)));
        inputs[i].forEach((id, at) => assert.equal(targetPadding.data[i * 15 + at], Number(id === 0)));
      });
    }
  });

  test("no held-out English is in the pool, and the first reader's sentence is in none", () => {
    const trained = new Set(texts(pool));
    assert.equal(heldOut.length, 500);
    assert(texts(heldOut).every((text) => !trained.has(text)));
    for (const seed of [1, 2, 3]) assert(!texts(translate.pool(seed)).includes(translate.sentences[0].source));
    assert.notDeepEqual(texts(translate.heldOut(7, { sample: 1 })), texts(heldOut));
  });

  test('what is asked is spread as in training: who is meant, gender, number', () => {
    const many = translate.heldOut(7, { count: 4000 }).map(({ source }) => check(source));
    const d = many.filter(({ family }) => family === 'd');
    assert(
      fits(
        countBy(d, ({ parts }) => parts.meant),
        { agent: 1, object: 1 },
      ),
    );
    const c = many.filter(({ family }) => family === 'c').map(({ parts }) => parts.phrases[0].noun);
    assert(
      fits(
        countBy(c, ({ gender }) => gender),
        { m: 7, f: 7 },
      ),
    );
    assert.equal(new Set(many.map(({ family }) => family)).size, 6);
  });
});

describe('translate: scores', () => {
  const heldOut = translate.heldOut(7, { count: 150 });
  /** Says the checker's French; `attend(links, row weights)` sets the last layer's weights. */
  function speaker(change = (word) => word, attend = () => {}) {
    return (batch, { maps }) => {
      const [B, T] = batch.targetIds.shape;
      const argmax = new Int32Array(B * T);
      const all = maps ? uniformMaps(batch) : undefined;
      const last = all?.[1].data.slice();
      rowsOf(batch.sourceIds).forEach((row, b) => {
        const { french, links } = check(vocabulary.decode(row.filter((id) => id > 0)).split(' '));
        for (let t = 0; t < T; t++) {
          argmax[b * T + t] = targetVocabulary.id(french[t] === undefined ? '[EOS]' : change(french[t], row));
          if (links[t] && last)
            for (const h of [0, 1])
              attend(links[t], last.subarray(((b * 2 + h) * T + t) * 15, ((b * 2 + h) * T + t + 1) * 15));
        }
      });
      return { argmax, maps: all && [all[0], { ...all[1], data: last }] };
    };
  }

  test('a perfect translator scores 1, its last layer no alignment error; a blind layer chance', async () => {
    const score = await translate.score(
      speaker(undefined, (links, weights) => {
        weights.fill(0);
        links.forEach((link) => {
          weights[link] = 1 / links.length;
        });
      }),
      heldOut,
    );
    assert.deepEqual([score.exact, score.count], [1, 150]);
    assert(score.sentences.every(({ target, answer }) => target === answer));
    assert.deepEqual(score.layers[1].all.error, 0);
    assert(Math.abs(score.layers[1].all.mass - 1) < 1e-6);
    assert.equal(
      score.layers[1].all.count,
      heldOut.reduce((sum, { target }) => sum + target.length, 0),
    );
    const links = heldOut.flatMap((pair) => pair.links.map((one) => one.length / pair.source.length));
    assert(Math.abs(score.layers[0].all.mass - links.reduce((a, b) => a + b) / links.length) < 1e-6);
    assert(score.layers[0].all.error > 0.85, 'the first of equals is the first word');
    assert(score.layers[0].content.count < score.layers[0].all.count);
  });

  test('any linked word counts as right; content words are counted apart', async () => {
    const byLast = await translate.score(
      speaker(undefined, (links, weights) => {
        weights.fill(0);
        weights[links[links.length - 1]] = 1;
      }),
      heldOut,
    );
    assert.deepEqual([byLast.layers[1].all.error, byLast.layers[1].content.error], [0, 0]);
    assert.deepEqual([byLast.layers[1].all.mass, byLast.layers[1].content.mass], [1, 1]);
    const content = new Set(heldOut.flatMap(({ target, content: is }) => target.filter((_, i) => is[i])));
    for (const word of ['le', 'la', 'ne', 'pas', 'était', 'voulait', 'et', 'il', '.']) assert(!content.has(word), word);
    assert(content.has('chien') && content.has('franchir'));
  });

  test('one wrong word is no exact match, and a model that never ends is stopped', async () => {
    const noGender = await translate.score(
      speaker((word) => (word === 'la' ? 'le' : word)),
      heldOut,
    );
    const without = heldOut.filter(({ target }) => !target.includes('la')).length / heldOut.length;
    assert.equal(noGender.exact, without);
    const endless = await translate.score(
      (batch) => ({ argmax: new Int32Array(batch.targetIds.data.length).fill(5) }),
      heldOut,
    );
    assert.equal(endless.exact, 0);
    assert.deepEqual(endless.layers, []);
    assert.equal(endless.sentences[0].answer.split(' ').length, 15);
  });

  test('greedy translation reads its own words', async () => {
    // Counts what it has written: right only if the decoder's input grows by its answers.
    const answers = await translate.translate(
      (batch) => {
        const [B, T] = batch.targetIds.shape;
        const argmax = batch.targetIds.data.map((id, i) => (i % T === 3 ? 2 : id + 2));
        return { argmax: argmax.slice(0, B * T) };
      },
      ['the dog', 'a cat'],
    );
    assert.deepEqual(
      answers,
      [
        [3, 5, 7],
        [3, 5, 7],
      ].map((ids) => targetVocabulary.decode(ids)),
    );
    await assert.rejects(
      translate.translate(() => ({}), ['the elephant']),
      { code: 'unknown', value: 'elephant' },
    );
  });
});
