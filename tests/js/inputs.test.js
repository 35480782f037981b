// The first argument of a method: a text, texts, ids, what encode gives, or inputs by name; here and in a worker.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Vocabulary, load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const remote = await load({ variant: 'simd', worker: true });
after(() => remote.terminate());
const folder = (/** @type {string} */ name) => new URL(`../checkpoints/${name}/`, import.meta.url);
const TEXT = 'the creek was cold';

/** @param {any} model @param {any} input @param {any} [options] */
const logits = async (model, ...given) => (await model.forward(...given)).logits;

for (const [where, engine] of /** @type {[string, any][]} */ ([
  ['here', gf],
  ['in a worker', remote],
])) {
  test(`every method takes what encode gives, and texts: ${where}`, async () => {
    for (const name of ['bert-2l', 'gpt2-2l']) {
      const { model, tokenizer } = await engine.loadModel(folder(name));
      assert.equal(model.tokenizer, tokenizer);
      assert.equal(tokenizer.maxLength, model.config.maxLength);
      const encoded = tokenizer.encode(TEXT);
      const wanted = await logits(model, { ids: encoded.ids });
      for (const given of [
        [encoded],
        [TEXT],
        [{ ids: TEXT }],
        [{ ids: encoded }],
        [encoded.ids],
        [[TEXT]],
        [{ ...encoded }],
      ]) {
        assert.deepEqual(await logits(model, ...given), wanted, JSON.stringify(given));
        assert.deepEqual(await logits(model, given[0], { capture: true }), wanted);
      }
      const texts = [TEXT, 'the dog'];
      const rows = tokenizer.encode(texts);
      assert.deepEqual(await logits(model, texts), await logits(model, { ids: rows.ids, padding: rows.padding }));
      assert.equal(await model.forwardBytes(texts), await model.forwardBytes(rows));
      // A long text is cut where a vector is asked for, and nowhere else.
      const long = 'the dog '.repeat(100);
      const cut = tokenizer.encode([long, TEXT], { truncation: true });
      assert.equal(cut.ids[0].length, tokenizer.maxLength);
      assert.deepEqual(await model.embed([long, TEXT]), await model.embed(cut));
      assert.deepEqual(
        await model.embed([long], { maxLength: 5, pooling: 'first' }),
        await model.embed(tokenizer.encode([long], { truncation: true, maxLength: 5 }), { pooling: 'first' }),
      );
      assert.deepEqual(await model.embed({ ids: TEXT, pooling: 'last' }), await model.embed(TEXT, { pooling: 'last' }));
      await assert.rejects(async () => model.embed(long, { truncation: false }), { code: 'range' });
      await assert.rejects(async () => model.forward(long), { code: 'range', parameter: 'ids' });
    }
  });

  test(`what encode gives is the list of its ids, wherever ids are taken: ${where}`, async () => {
    const { model, tokenizer } = await engine.loadModel(folder('gpt2-2l'));
    const encoded = tokenizer.encode(TEXT);
    const { ids } = encoded;
    assert.ok(Array.isArray(encoded) && Array.isArray(ids) && ids !== encoded);
    assert.deepEqual(
      [encoded.length, [...encoded], encoded.slice(1), encoded.map((id) => id)],
      [ids.length, ids, ids.slice(1), [...ids]],
    );
    assert.equal(JSON.stringify(encoded), JSON.stringify(ids));
    assert.equal(tokenizer.decode(encoded), tokenizer.decode(ids));
    const wanted = await logits(model, { ids });
    for (const given of [encoded, encoded.concat(), structuredClone(encoded), { ...encoded, capture: true }])
      assert.deepEqual(await logits(model, given), wanted);
    // Its list is what counts, also where it was changed.
    const longer = tokenizer.encode(TEXT);
    longer.push(ids[0]);
    assert.deepEqual(await logits(model, longer), await logits(model, [...ids, ids[0]]));
    const written = await model.generate(encoded, { maxTokens: 3, stop: [tokenizer.encode('.')] });
    assert.deepEqual(written, await model.generate(ids, { maxTokens: 3, stop: [tokenizer.encode('.').ids] }));
    assert.ok([written.ids, written.newIds].every(Array.isArray), 'one type of ids everywhere');
    assert.equal(tokenizer.decode(written.ids), written.text);
    const trainer = await model.trainer();
    assert.deepEqual(await trainer.loss(encoded, { labels: encoded }), await trainer.loss({ ids, labels: ids }));
    await trainer.free();
    const rows = tokenizer.encode([TEXT, 'the dog']);
    assert.deepEqual([...rows], rows.ids);
    assert.deepEqual(tokenizer.decode(rows), tokenizer.decode(rows.ids));
    assert.deepEqual(await logits(model, rows), await logits(model, { ids: rows.ids, padding: rows.padding }));
    assert.deepEqual(
      await model.generate(rows, { maxTokens: 2 }),
      await model.generate([TEXT, 'the dog'], { maxTokens: 2 }),
    );
    await model.free();
  });

  test(`a model reads the words that it was made with, also in its trainer and its file: ${where}`, async () => {
    const words = new Vocabulary(['[PAD]', 'the', 'creek', 'was', 'cold']);
    const config = { kind: 'decoder', vocabulary: words, d_model: 8, heads: 2, layers: 1, head: 'tied', causal: true };
    const model = await engine.createModel(config);
    assert.equal(model.config.vocabulary, 5);
    assert.equal(model.tokenizer, words);
    const wanted = await logits(model, { ids: [1, 2, 3, 4] });
    assert.deepEqual(await logits(model, 'The creek was cold'), wanted);
    const trainer = await model.trainer({ learningRate: 0.02 });
    const batch = [words.encode('the creek was'), { labels: [2, 3, 4] }];
    assert.deepEqual(await trainer.loss(...batch), await trainer.loss({ ids: [1, 2, 3], labels: [2, 3, 4] }));
    assert.equal((await trainer.step('the creek was', batch[1])).step, 1);
    const opened = await engine.loadModel(await model.save());
    assert.deepEqual(opened.tokenizer.words, words.words);
    assert.deepEqual(await logits(opened.model, TEXT), await logits(model, TEXT));
    // A word that it lacks has no id: the pass says which.
    for (const given of ['the river', ['the creek', 'the river'], words.encode('the river'), { ids: 'the river' }]) {
      const why = {
        code: 'token',
        parameter: 'ids',
        value: 'river',
        message: /not in the vocabulary, tokenizer.words, got "river"/,
      };
      await assert.rejects(async () => model.forward(given), where === 'here' ? why : { ...why, value: 'river' });
    }
    await assert.rejects(async () => model.forward(words.encode('the', { pair: 'creek' })), {
      code: 'config',
      parameter: 'typeIds',
    });
    assert.deepEqual(await logits(model, { ids: [1, 2], typeIds: [0, 0] }), await logits(model, [1, 2]));
  });

  test(`models that come with the package bring their tokenizers: ${where}`, async () => {
    const creek = await engine.loadModel(import.meta.resolve('glassformer/models/creek'));
    const { ids } = creek.tokenizer.encode(TEXT);
    assert.deepEqual(await logits(creek.model, TEXT), await logits(creek.model, { ids }));
    const austen = await engine.loadModel(new URL('../../web/models/austen.safetensors', import.meta.url));
    const sentence = 'It is a truth universally acknowledged';
    assert.equal(austen.tokenizer.decode(austen.tokenizer.encode(sentence).ids), sentence);
    assert.equal(austen.model.tokenizer, austen.tokenizer);
    assert.equal((await logits(austen.model, sentence)).shape[1], austen.tokenizer.encode(sentence).ids.length);
    const { model, tokenizer, targetTokenizer } = await engine.loadModel(
      import.meta.resolve('glassformer/models/translate'),
    );
    assert.deepEqual([model.tokenizer, model.targetTokenizer], [tokenizer, targetTokenizer]);
    assert.equal(targetTokenizer.special.start, targetTokenizer.id('[BOS]'));
    // A text is the source; each side reads with its own tokenizer.
    const [source, target] = ['the dog wanted to jump over it .', '[BOS] le chien'];
    const sourceIds = tokenizer.encode(source).ids;
    const targetIds = targetTokenizer.encode(target).ids;
    const both = await logits(model, { sourceIds, targetIds });
    assert.deepEqual(await logits(model, source, { targetIds: target }), both);
    assert.deepEqual(await logits(model, tokenizer.encode(source), { targetIds }), both);
    assert.deepEqual(await logits(model, { sourceIds: source, targetIds: targetTokenizer.encode(target) }), both);
    const two = await logits(model, [source, 'the dog .'], { targetIds: [target, target] });
    const row = two.shape[1] * two.shape[2];
    assert.deepEqual(two.data.slice(0, row), both.data);
  });
}

test('one text and one tokenizer for all: what a model does not know is refused by name', () => {
  const model = gf.createModel({ kind: 'encoder', vocabulary: 9 });
  assert.throws(() => model.forward('the creek'), { code: 'type', parameter: 'ids', message: /knows no tokenizer/ });
  const options = /** @type {any} */ (7);
  assert.throws(() => model.forward([1, 2], options), { code: 'type', parameter: 'options' });
  const vectors = [[1, 2, 3, 4]];
  const numbers = gf.createModel({ kind: 'encoder', vocabulary: 0, d_model: 4, heads: 1 });
  assert.deepEqual(numbers.forward(vectors), numbers.forward({ vectors }));
});

test('one table for source and target: its tokenizer is that of both, also where the sizes are written twice', () => {
  const vocabulary = new Vocabulary(['[PAD]', '[BOS]', 'a', 'b']);
  const both = { kind: 'encoder-decoder', vocabulary, d_model: 8, heads: 2, head: 'tied' };
  const tokenizerOf = (/** @type {object} */ more) => gf.createModel({ ...both, ...more }).targetTokenizer;
  assert.equal(tokenizerOf({ tiedEmbeddings: true, targetVocabulary: 4 }), vocabulary);
  assert.equal(tokenizerOf({}), vocabulary);
  assert.equal(tokenizerOf({ targetVocabulary: 4 }), undefined);
});
