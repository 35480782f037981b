// generate with texts: of any input, to stop at, and of what is new.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Vocabulary, load } from '../../dist/js/index.js';

const words = new Vocabulary(['[PAD]', '[BOS]', '[EOS]', 'the', 'dog', 'creek', 'was', 'cold', 'and', 'deep', '.']);
const GPT2 = 'dist/checkpoints/gpt2/';
const SIZES = { d_model: 16, heads: 2, layers: 1, head: 'linear', maxLength: 24, seed: 3 };
const DRAW = { temperature: 1.5, seed: 4, maxTokens: 6 };

/** @type {Record<string, any>} */
const engines = {};
before(async () => Object.assign(engines, { here: await load(), worker: await load({ worker: true }) }));
after(() => engines.worker.terminate());

for (const place of ['here', 'worker']) {
  describe(place, () => {
    const decoder = () => engines[place].createModel({ ...SIZES, kind: 'decoder', vocabulary: words, causal: true });
    const both = () =>
      engines[place].createModel({ ...SIZES, kind: 'encoder-decoder', vocabulary: words, targetVocabulary: words });

    test('takes texts, encodings, ids and rows of them', async () => {
      const model = await decoder();
      const one = await model.generate({ ids: [3, 4], ...DRAW });
      for (const same of ['the dog', words.encode('the dog'), [3, 4], Int32Array.of(3, 4)])
        assert.deepEqual(await model.generate(same, DRAW), one);
      assert.deepEqual(await model.generate({ ids: 'the dog', ...DRAW }), one);
      assert.deepEqual(await model.generate({ ...words.encode('the dog'), ...DRAW }), one);
      const texts = ['the dog', 'the creek was'];
      const rows = await model.generate({ ids: [[3, 4], [3, 5, 6]], ...DRAW }); // prettier-ignore
      for (const same of [
        texts,
        words.encode(texts),
        words.encode(texts, { padding: false }),
        [
          [3, 4],
          [3, 5, 6],
        ],
      ])
        // prettier-ignore
        assert.deepEqual(await model.generate(same, DRAW), rows);
      const padded = { ids: [[0, 3, 4], [3, 5, 6]], padding: [[1, 0, 0], [0, 0, 0]] }; // prettier-ignore
      assert.deepEqual(await model.generate(padded, DRAW), rows);
      const refused = (input, code, parameter) =>
        assert.rejects(async () => model.generate(input, DRAW), { code, parameter });
      await refused('the rabbit', 'token', 'ids');
      await refused({ ids: [3, 4], padding: [0] }, 'type', 'padding');
      await refused({ ids: [3, 4], padding: [0, 2] }, 'type', 'padding');
      await refused({ ids: [[3], [4, 5]], padding: [[0]] }, 'type', 'padding[1]');
      await refused({ ids: [3, 4], padding: [1, 1] }, 'shape', 'ids');
      await model.free();
    });

    test('of an encoder-decoder a text is the source; the target begins with the start token', async () => {
      const model = await both();
      const one = await model.generate({ sourceIds: [3, 4], targetIds: [1], ...DRAW });
      for (const same of ['the dog', words.encode('the dog'), [3, 4]])
        assert.deepEqual(await model.generate(same, DRAW), one);
      assert.deepEqual(await model.generate({ sourceIds: 'the dog', targetIds: '[BOS]', ...DRAW }), one);
      const padded = { sourceIds: [[3, 4, 0], [3, 5, 6]], sourcePadding: [[0, 0, 1], [0, 0, 0]] }; // prettier-ignore
      const rows = await model.generate({ ...padded, targetIds: [[1], [1]], ...DRAW });
      assert.equal(rows.length, 2);
      for (const same of [['the dog', 'the creek was'], words.encode(['the dog', 'the creek was']), padded])
        assert.deepEqual(await model.generate(same, DRAW), rows);
      await model.free();
    });

    test('a text stops wherever tokens are cut, each row for itself', async () => {
      const model = await decoder();
      const whole = await model.generate('the', DRAW);
      assert.equal(whole.newText, ` ${words.decode(whole.newIds)}`);
      assert.equal(whole.text, `the${whole.newText}`);
      const parts = whole.newText.trim().split(' ');
      const stop = `${parts[1].slice(1)} ${parts[2].slice(0, 2)}`;
      const found = await model.generate('the', { ...DRAW, stop: [[10, 10, 10], stop] });
      const until = ` ${parts[0]} ${parts[1]} ${parts[2].slice(0, 2)}`;
      assert.deepEqual([found.newText, found.text, found.endedBy], [until, `the${until}`, 'stop']);
      assert.deepEqual(found.newIds, whole.newIds.slice(0, 3), 'the token is whole');
      const results = await model.generate(['the', 'dog', 'the'], { ...DRAW, stop: [stop] });
      assert.deepEqual(results[0], found);
      assert.deepEqual(results[1], await model.generate('dog', { ...DRAW, seed: 5, stop: [stop] }));
      const tokens = [];
      for await (const token of model.generate(['the', 'the'], { ...DRAW, stop })) tokens.push(token);
      const first = tokens.filter(({ row }) => row === 0).map(({ text }) => text);
      assert.equal(first.join(''), found.newText);
      assert.deepEqual(tokens[2], { id: found.newIds[2], row: 0, text: ` ${parts[2].slice(0, 2)}`, endedBy: 'stop' });
      assert.equal(tokens.filter(({ endedBy }) => endedBy).length, 2);
      for (const bad of [[''], [3], '', [{}]])
        await assert.rejects(async () => model.generate('the', { stop: bad }), { code: 'type' });
      await model.free();
    });

    test('the texts of tokens are those of the result: bytes of a letter come out whole', async () => {
      const { model, tokenizer } = await engines[place].loadModel(GPT2);
      const draws = fc.record({ seed: fc.nat(1e6), maxTokens: fc.integer({ min: 0, max: 12 }) });
      await fc.assert(
        fc.asyncProperty(draws, async (draw) => {
          const given = { ...draw, temperature: 50 };
          const whole = await model.generate('The creek', given);
          let text = '';
          for await (const token of model.generate('The creek', given)) text += token.text;
          assert.equal(text, whole.newText);
          assert.equal(text, tokenizer.decode(whole.newIds));
          assert.equal(whole.text, tokenizer.decode(whole.ids));
        }),
        { numRuns: 30 },
      );
      await model.free();
    });

    test('a default maxTokens keeps within maxOperations, and says so', async () => {
      const model = await decoder();
      const all = await model.generate('the');
      assert.deepEqual([all.ids.length, all.endedBy], [25, 'maxLength']);
      const lengths = [];
      for (const maxOperations of [1, 1e5, 2e5, 3e5, 1e7]) {
        const { newIds, endedBy } = await model.generate('the', { maxOperations });
        assert.equal(endedBy, 'maxLength');
        assert.deepEqual(newIds, all.newIds.slice(0, newIds.length));
        if (newIds.length) await model.generate('the', { maxOperations, maxTokens: newIds.length });
        if (newIds.length < 24) {
          const more = { maxOperations, maxTokens: newIds.length + 1 };
          await assert.rejects(async () => model.generate('the', more), { code: 'limit' });
        }
        lengths.push(newIds.length);
      }
      assert.deepEqual([...lengths].sort((a, b) => a - b), lengths); // prettier-ignore
      assert.ok(new Set(lengths).size >= 3, String(lengths));
      await model.free();
    });
  });
}
