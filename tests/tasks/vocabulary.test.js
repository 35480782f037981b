import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Vocabulary, creek, translate } from '../../src/tasks/index.js';

describe('Vocabulary', () => {
  const vocabulary = new Vocabulary(['[PAD]', '.', 'the', 'A', 'dog']);

  test('words and ids are each other', () => {
    assert.equal(vocabulary.size, 5);
    vocabulary.words.forEach((word, id) => {
      assert.equal(vocabulary.id(word), id);
      assert.equal(vocabulary.word(id), word);
      assert(vocabulary.has(word));
    });
    assert.equal(vocabulary.decode([2, 4, 1]), 'the dog .');
  });

  test('encode reports unknown words and drops none', () => {
    const encoded = vocabulary.encode('The grey dog.');
    assert.deepEqual([...encoded], [2, -1, 4, 1]);
    assert.deepEqual(encoded.unknown, [{ word: 'grey', at: 1 }]);
    assert.equal(encoded.ids, encoded, 'the ids, by either name');
    assert.deepEqual(vocabulary.encode(['A', 'constructor', '']).unknown, [
      { word: 'constructor', at: 1 },
      { word: '', at: 2 },
    ]);
    assert.deepEqual(vocabulary.encode(' [PAD]  dog').ids, Int32Array.of(0, 4));
    assert.deepEqual(vocabulary.encode('a dog').ids, Int32Array.of(-1, 4), 'only capitals become small');
    assert.deepEqual(vocabulary.encode('dog, the').unknown, [{ word: ',', at: 1 }]);
    assert.deepEqual(vocabulary.encode('').ids, new Int32Array(0));
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
    assert.throws(() => vocabulary.id('cat'), { code: 'unknown', parameter: 'word', value: 'cat', message: /"cat"/ });
    assert.throws(() => vocabulary.ids(['dog', '__proto__']), { code: 'unknown', value: '__proto__' });
    for (const id of [-1, 5, 0.5])
      assert.throws(() => vocabulary.word(id), { code: 'range', parameter: 'id', value: id });
  });
});
