import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listsOf } from '../js/encoding.js';
import { Vocabulary, creek, translate } from '../../src/tasks/index.js';

test('by characters, a text is cut at each of them and comes back without spaces', () => {
  const vocabulary = new Vocabulary(['T', 'h', 'e', ' ', '\u{1f98a}', '[UNK]'], { level: 'characters' });
  assert.deepEqual(vocabulary.encode('The \u{1f98a}x[UNK]').ids, [0, 1, 2, 3, 4, 5, 5]);
  assert.equal(vocabulary.decode([0, 1, 2, 3, 4]), 'The \u{1f98a}');
  const without = new Vocabulary(['a', 'b'], { level: 'characters' });
  assert.deepEqual(without.encode('a b').ids, [0, 1], 'a space that is no entry');
  assert.equal(JSON.parse(JSON.stringify(vocabulary)).level, 'characters');
  for (const [options, code, parameter] of [
    [{ levle: 'characters' }, 'unknown', 'levle'],
    [{ level: 'letters' }, 'range', 'level'],
    [{ level: 1 }, 'type', 'level'],
  ])
    assert.throws(() => new Vocabulary(['a'], /** @type {any} */ (options)), { code, parameter });
});

describe('Vocabulary', () => {
  const vocabulary = new Vocabulary(['[PAD]', '.', 'the', 'A', 'dog']);

  test('words and ids are each other', () => {
    assert.equal(vocabulary.size, 5);
    vocabulary.words.forEach((word, id) => {
      assert.equal(vocabulary.id(word), id);
      assert.equal(vocabulary.token(id), word);
      assert(vocabulary.has(word));
    });
    assert.equal(vocabulary.decode([2, 4, 1]), 'the dog .');
  });

  test('encode reports unknown words and drops none', () => {
    assert.deepEqual(listsOf(vocabulary.encode('The grey dog.')), {
      ids: [2, -1, 4, 1],
      typeIds: [0, 0, 0, 0],
      padding: [0, 0, 0, 0],
      tokens: ['the', 'grey', 'dog', '.'],
      unknown: [{ word: 'grey', at: 1 }],
    });
    assert.deepEqual(vocabulary.encode('A constructor').unknown, [{ word: 'constructor', at: 1 }]);
    assert.deepEqual(vocabulary.encode(' [PAD]  dog').ids, [0, 4]);
    assert.deepEqual(vocabulary.encode('a dog').ids, [-1, 4], 'only capitals become small');
    assert.deepEqual(vocabulary.encode('dog, the').unknown, [{ word: ',', at: 1 }]);
    assert.deepEqual(vocabulary.encode('').ids, []);
    assert.equal(vocabulary.unknown, undefined);
    const lenient = new Vocabulary(['[UNK]', 'dog']);
    assert.equal(lenient.unknown, 0);
    const { ids, tokens, unknown } = lenient.encode('dog cat');
    assert.deepEqual([ids, tokens, unknown], [[1, 0], ['dog', '[UNK]'], [{ word: 'cat', at: 1 }]]);
  });

  test('texts become rows, as those of a tokenizer do', () => {
    assert.deepEqual(listsOf(vocabulary.encode(['the cat', 'dog', 'the dog.'], { pair: ['', '.', 'cat'] })), {
      ids: [
        [2, -1, 0, 0],
        [4, 1, 0, 0],
        [2, 4, 1, -1],
      ],
      typeIds: [
        [0, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 1],
      ],
      padding: [
        [0, 0, 1, 1],
        [0, 0, 1, 1],
        [0, 0, 0, 0],
      ],
      tokens: [
        ['the', 'cat', '[PAD]', '[PAD]'],
        ['dog', '.', '[PAD]', '[PAD]'],
        ['the', 'dog', '.', 'cat'],
      ],
      unknown: [[{ word: 'cat', at: 1 }], [], [{ word: 'cat', at: 3 }]],
    });
    const cut = vocabulary.encode('the dog cat', { truncation: true, maxLength: 2 });
    assert.deepEqual([cut.ids, cut.unknown], [[2, 4], []], 'a word that was cut off is not lacking');
    assert.deepEqual(vocabulary.encode('dog', { padding: 'maxLength', maxLength: 3 }).padding, [0, 1, 1]);
    vocabulary.maxLength = 1;
    assert.deepEqual(vocabulary.encode('the dog', { truncation: true }).ids, [2]);
    vocabulary.maxLength = undefined;
    assert.throws(() => vocabulary.encode('dog', { truncation: true }), { code: 'missing', parameter: 'maxLength' });
    assert.throws(() => vocabulary.encode('the dog', /** @type {any} */ ('dog')), {
      code: 'type',
      parameter: 'options',
      message: /\{ pair: "dog" \}/,
    });
    assert.deepEqual(vocabulary.decode([[2, 4], [1]]), ['the dog', '.']);
    const decoder = vocabulary.decoder();
    assert.deepEqual(
      [decoder.push([2]), decoder.push([]), decoder.push([4, 1]), decoder.end()],
      ['the', '', ' dog .', ''],
    );
    assert.equal(decoder.push([2]), 'the', 'anew');
  });

  test("encode and decode are inverse on the readers' sentences", () => {
    for (const text of Object.values(creek.sentences))
      assert.equal(creek.vocabulary.decode(creek.vocabulary.encode(text).ids), text);
    for (const { source, target } of translate.sentences) {
      assert.equal(translate.vocabulary.decode(translate.vocabulary.encode(source).ids), source);
      assert.equal(translate.targetVocabulary.decode(translate.targetVocabulary.encode(target).ids), target);
    }
  });

  test('refuses a word twice, an unknown word, an unknown id', () => {
    assert.throws(() => new Vocabulary(['a', 'b', 'a']), { code: 'range', parameter: 'words', value: 'a' });
    assert.throws(() => vocabulary.id('cat'), { code: 'unknown', parameter: 'token', value: 'cat', message: /"cat"/ });
    assert.throws(() => vocabulary.ids(['dog', '__proto__']), { code: 'unknown', value: '__proto__' });
    for (const id of [-1, 5, 0.5])
      assert.throws(() => vocabulary.token(id), { code: 'token', parameter: 'id', value: id });
  });
});
