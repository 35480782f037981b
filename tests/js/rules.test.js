// Rules on what an encoder–decoder writes: forced and forbidden tokens, lengths, the start of a target; here, in a
// worker, saved, and read from generation_config.json or config.json.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { load } from 'glassformer';
import { rulesIn } from '../../src/js/files/rules-in.js';

const gf = await load({ variant: 'simd' });
const there = await load({ variant: 'simd', worker: true });
after(() => there.terminate());

const SETTINGS = { kind: 'encoder-decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1, decoderLayers: 1 };
const model = gf.createModel(/** @type {any} */ ({ ...SETTINGS, head: 'linear', seed: 4 }));
const sourceIds = [3, 1, 4, 1, 5];
/** New tokens with these rules, the likeliest first token of all being `free[0]`. */
const newIds = (/** @type {any} */ rules, /** @type {object} */ options = {}) => [
  ...model.generateSync({ sourceIds, targetIds: [2], maxTokens: 6, rules, ...options }).newIds,
];
const free = newIds({});

const filesOf = (/** @type {string} */ name) => {
  const folder = new URL(`../checkpoints/${name}/`, import.meta.url);
  const names = readdirSync(folder).filter((file) => !/^(case|expected)/.test(file));
  return names.map((file) => new File([readFileSync(new URL(file, folder))], file));
};

test('each rule alone changes what is written as it says', () => {
  assert.equal(newIds({ first: 7 })[0], 7);
  assert.deepEqual(newIds({ last: [7] }), [...newIds({}).slice(0, 5), 7]);
  assert.ok([6, 7].includes(newIds({ last: [6, 7] })[5]));
  assert.notEqual(newIds({ forbidden: [[free[0]]] })[0], free[0]);
  const second = newIds({ forbidden: [[free[0], free[1]]] });
  assert.equal(second[0], free[0]);
  assert.notEqual(second[1], free[1]);
  assert.equal(new Set([2, ...newIds({ noRepeat: 1 })]).size, 7);
  assert.throws(() => newIds({ noRepeat: 1 }, { maxTokens: 9 }), { code: 'range', parameter: 'rules' });
  const pairs = [2, ...newIds({ noRepeat: 2 }, { maxTokens: 20 })].map((id, i, all) => `${id} ${all[i + 1]}`);
  assert.equal(new Set(pairs).size, pairs.length);
  assert.equal(newIds({}, { endId: free[0] }).length, 1);
  assert.ok(newIds({ minLength: 4 }, { endId: free[0] }).length > 2);
  const { newIds: few, endedBy } = model.generateSync({ sourceIds, targetIds: [2], rules: { maxLength: 4 } });
  assert.deepEqual([few.length, endedBy], [3, 'maxLength']);
  assert.equal(newIds({ maxLength: 4 }).length, 6, 'maxTokens is instead of it');
});

test('a longer start is not forced, and a caller’s own change of the logits comes behind the rules', () => {
  assert.deepEqual(newIds({ first: 7 }, { targetIds: [2, free[0]] }), newIds({}, { targetIds: [2, free[0]] }));
  /** @type {number[]} */
  const seen = [];
  newIds({ forbidden: [[3]] }, { logits: (/** @type {Float32Array} */ row) => void seen.push(row[3]) });
  assert.deepEqual(new Set(seen), new Set([-Infinity]));
});

test('rules that cannot be are refused by name', () => {
  for (const [rules, code, at] of /** @type {[any, string, string][]} */ ([
    [{ first: 9 }, 'token', 'first'],
    [{ last: 3 }, 'type', 'last'],
    [{ forbidden: [3] }, 'type', 'forbidden[0]'],
    [{ noRepeat: -1 }, 'range', 'noRepeat'],
    [{ begin: 1 }, 'unknown', 'begin'],
    [7, 'type', 'rules'],
  ]))
    assert.throws(() => newIds(rules), { code, parameter: at }, JSON.stringify(rules));
});

for (const name of ['marian-2l', 'bart-2l-f16'])
  test(`${name}: its rules hold here, in a worker, and in what is saved`, async () => {
    const said = JSON.parse(String(readFileSync(new URL(`../checkpoints/${name}/case.json`, import.meta.url))));
    const [{ sequences, texts }] = said.generation; // greedy
    const searched = said.generation.find((/** @type {any} */ each) => Object.keys(each.settings).length === 0);
    const check = async (/** @type {any} */ { model: each }) => {
      const { ids, text } = await each.generate(said.text, { beams: 1 });
      assert.deepEqual([[...ids], text], [sequences[0], texts[0]]);
      const [row] = await each.generate([said.text], { beams: 1 });
      assert.deepEqual([...row.ids], sequences[0]);
      const best = await each.generate(said.text); // with the folder's beams
      assert.deepEqual([[...best.ids], best.text], [searched.sequences[0], searched.texts[0]]);
      assert.ok(Math.abs(best.score - searched.scores[0]) < said.scoreTolerance);
      assert.deepEqual([...(await each.generate(said.text, { rules: {}, maxTokens: 1 })).ids].length, 2);
    };
    for (const engine of [gf, there]) {
      const opened = /** @type {any} */ (await engine.loadModel(filesOf(name)));
      await check(opened);
      await check(await engine.loadModel(await opened.model.save()));
      const folder = await opened.model.save({ format: 'huggingface' });
      const files = Object.entries(folder).map(([file, bytes]) => new File([/** @type {any} */ (bytes)], file));
      const again = /** @type {any} */ (await engine.loadModel(files));
      assert.deepEqual([again.rules, again.endIds], [opened.rules, opened.endIds]);
      await check(again);
    }
  });

test('a text as target is read behind the start, without the token that ends it; rows, too', async () => {
  for (const name of ['marian-2l', 'bart-2l-f16']) {
    const {
      model: opened,
      tokenizer,
      targetTokenizer = tokenizer,
      rules,
    } = /** @type {any} */ (await gf.loadModel(filesOf(name)));
    const [short, long] = ['Le chien', 'Le chien était là.'];
    const idsOf = (/** @type {string} */ text) => [rules.start, ...targetTokenizer.encode(text).ids.slice(0, -1)];
    const source = 'The dog was at the deep creek.';
    const wanted = opened.forward({ sourceIds: tokenizer.encode(source).ids, targetIds: idsOf(long) }).logits.data;
    assert.deepEqual(opened.forward({ sourceIds: source, targetIds: long }).logits.data, wanted);
    const { logits } = opened.forward({ sourceIds: [source, source], targetIds: [short, long] });
    const size = logits.data.length / 2;
    assert.equal(size, wanted.length);
    const near = (/** @type {Float32Array} */ ours, /** @type {Float32Array} */ theirs) =>
      ours.forEach((each, i) => assert.ok(Math.abs(each - theirs[i]) < 1e-4, `${name}: ${each}, ${theirs[i]}`));
    near(logits.data.slice(size), wanted);
    const alone = opened.forward({ sourceIds: source, targetIds: idsOf(short) }).logits.data;
    near(logits.data.slice(0, alone.length), alone);
    const [one] = await opened.generate({ sourceIds: [source], targetIds: [short] });
    assert.deepEqual([...one.ids.slice(0, idsOf(short).length)], idsOf(short));
  }
});

test('generation_config.json counts before config.json; what is no rule is noted by its file', () => {
  const of = (/** @type {any} */ config, /** @type {any} */ generation, endIds = [2]) =>
    rulesIn(config, generation, { vocabulary: 9, endIds });
  const all = { decoder_start_token_id: 1, forced_bos_token_id: 0, forced_eos_token_id: 2, max_length: 7 };
  const rules = { start: 1, first: 0, last: [2], maxLength: 7 };
  assert.deepEqual(of(all, undefined), { rules, notes: [] });
  assert.deepEqual(of({ decoder_start_token_id: 3, min_length: 5 }, all).rules, rules);
  assert.deepEqual(of({ decoder_start_token_id: 3 }, {}).rules, { start: 3 });
  assert.deepEqual(of({}, { bos_token_id: 4, min_length: 0, no_repeat_ngram_size: 0 }).rules, { start: 4 });
  assert.deepEqual(of({}, { bad_words_ids: [[2], [3], [2, 4]], suppress_tokens: [5] }).rules.forbidden, [
    [3],
    [2, 4],
    [5],
  ]);
  const search = { num_beams: 4, length_penalty: 2, early_stopping: 'never', renormalize_logits: true };
  const read = { beams: 4, lengthPenalty: 2, earlyStopping: 'never', renormalize: true };
  assert.deepEqual(of({}, search).rules, read);
  for (const [name, value] of /** @type {[string, any][]} */ ([
    ['num_beams', 0],
    ['num_beams', 65],
    ['length_penalty', '1'],
    ['early_stopping', 'ever'],
    ['renormalize_logits', 1],
    ['forced_bos_token_id', 9],
    ['forced_eos_token_id', '2'],
    ['bad_words_ids', [3]],
    ['bad_words_ids', [[]]],
    ['no_repeat_ngram_size', -1],
    ['max_length', 1.5],
  ])) {
    const { rules: read, notes } = of({}, { [name]: value });
    assert.deepEqual([read, notes.length], [{}, 1], name);
    assert.match(notes[0], new RegExp(`^generation_config\\.json: ${name} is not read, as it must be`));
  }
  assert.deepEqual(of({ repetition_penalty: 1.2 }, undefined).notes, [
    'config.json: repetition_penalty is not applied',
  ]);
});
