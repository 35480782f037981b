// A model made with a task's config reads and writes texts, there and saved and opened again.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load } from 'glassformer';
import * as tasks from 'glassformer/tasks';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const far = await loadWorker({ variant: 'simd' });
after(() => far.terminate());

const TEXT = 'The creek was cold. '.repeat(80);
/** A text that each reads, and how its tokens are joined. @type {[any, string][]} */
const DECODERS = [
  [tasks.makeText(TEXT, { level: 'characters' }), 'The cr'],
  [tasks.makeText(TEXT), 'the creek was'],
  [tasks.story, 'the dog'],
  [tasks.nextDigit, '1234'],
  [tasks.addition, '12+34='],
  [tasks.induction, 'abcabc'],
];

for (const [task, text] of DECODERS) {
  test(`${task.name}, ${task.vocabulary.level}: "${text}" goes on, here, in a worker, and saved`, async () => {
    const options = { maxTokens: 4 };
    const model = gf.createModel({ ...task.config, seed: 1 });
    assert.equal(model.tokenizer, task.vocabulary);
    assert.equal(task.vocabulary.decode(task.vocabulary.encode(text).ids), text);
    const said = await model.generate(text, options);
    assert.ok(said.text.startsWith(text), said.text);
    assert.equal(said.ids.length, task.vocabulary.encode(text).ids.length + 4);
    const remote = await far.createModel({ ...task.config, seed: 1 });
    assert.deepEqual(await remote.generate(text, options), said);
    for (const engine of [gf, far]) {
      const again = await engine.loadModel(await model.save());
      assert.deepEqual(await again.model.generate(text, options), said);
      assert.equal(again.tokenizer.level, task.vocabulary.level);
    }
    model.free();
  });
}

test('of each task with a vocabulary the model has its tokenizers', () => {
  for (const task of Object.values(tasks).filter((each) => Object(each).vocabulary)) {
    const { vocabulary, targetVocabulary = undefined, name, config } = /** @type {any} */ (task);
    const model = gf.createModel(config);
    const wanted = config.kind === 'encoder-decoder' ? (targetVocabulary ?? vocabulary) : undefined;
    assert.equal(model.tokenizer, vocabulary, name);
    assert.equal(model.targetTokenizer, wanted, name);
    assert.equal(model.config.vocabulary, vocabulary.size, name);
    model.free();
  }
});
