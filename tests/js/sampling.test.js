// The choice of the next token: nucleus, penalty, the caller's logits; and the end of a generation.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { withModelOf } from './engines.js';
import { random, refused } from './reference.js';

const gf = await load({ variant: 'simd' });
const DECODER = { kind: 'decoder', d_model: 16, heads: 4, d_ff: 24, layers: 2, head: 'linear', vocabulary: 13 };
const withModel = (body, config = {}) => withModelOf(gf, { ...DECODER, seed: 1, ...config }, body);

/** Which tokens 400 seeds draw after [2]. */
const drawn = (model, options) => {
  const seen = new Set();
  for (let seed = 0; seed < 400; seed++) {
    seen.add(model.generateSync({ ids: [2], maxTokens: 1, temperature: 2, seed, ...options }).newIds[0]);
  }
  return [...seen].sort((a, b) => a - b);
};

test('topP draws from the fewest likely tokens that have this probability together, of the topK', () => {
  withModel((model) => {
    const { data } = model.forward({ ids: [2] }).logits;
    const p = [...gf.softmax(data.map((each) => each / 2)).data];
    for (const [topP, topK] of [0, 0.2, 0.5, 0.8, 0.95].flatMap((each) => [
      [each, 0],
      [each, 5],
    ])) {
      const order = [...p.keys()].sort((a, b) => p[b] - p[a]).slice(0, topK || 13);
      const all = order.reduce((sum, id) => sum + p[id], 0);
      let sum = 0;
      const nucleus = order.filter((id, i) => (i === 0 || sum < topP * all ? ((sum += p[id]), true) : false));
      assert.deepEqual(
        drawn(model, { topP, topK }),
        nucleus.sort((a, b) => a - b),
        `${topP} of ${topK}`,
      );
    }
    const one = { ids: [1], maxTokens: 20, temperature: 1, seed: 3 };
    assert.deepEqual(model.generateSync({ ...one, topP: 1 }), model.generateSync(one), '1 leaves every draw as it was');
    assert.deepEqual(
      model.generateSync({ ...one, topP: 0 }).newIds,
      model.generateSync({ ...one, temperature: 0 }).newIds,
    );
  });
});

test('of equally likely tokens the first stay in the nucleus', () => {
  withModel((model) => {
    const logits = (row) => void row.fill(0);
    assert.deepEqual(drawn(model, { logits, topP: 0.3 }), [0, 1, 2, 3]);
    assert.deepEqual(drawn(model, { logits, topP: 0.5, topK: 4 }), [0, 1]);
  });
});

test('repetitionPenalty divides the positive logits of earlier tokens and multiplies the negative ones', () => {
  for (let seed = 0; seed < 20; seed++) {
    const r = random(seed);
    const repetitionPenalty = r.pick([0.5, 1.1, 1.5, 4]);
    withModel(
      (model) => {
        const tokens = [3, 7];
        for (let i = 0; i < 10; i++) {
          const row = model.forward({ ids: tokens }).logits.data.slice(-13);
          for (const id of new Set(tokens)) row[id] *= row[id] > 0 ? 1 / repetitionPenalty : repetitionPenalty;
          tokens.push(row.indexOf(Math.max(...row)));
        }
        assert.deepEqual([...model.generateSync({ ids: [3, 7], maxTokens: 10, repetitionPenalty }).ids], tokens);
      },
      { seed },
    );
  }
});

test('logits sees each row and may change or replace it', () => {
  withModel((model) => {
    const seen = [];
    const ids = [4, 5];
    const twin = gf.createModel({ ...model.config, seed: 1 });
    const logits = (row, before) => {
      seen.push(row.slice());
      assert.deepEqual(row, twin.forward({ ids: before }).logits.data.slice(-13));
      row[before.at(-1)] = -Infinity; // says nothing twice
    };
    const { ids: all } = model.generateSync({ ids, maxTokens: 12, temperature: 1, logits });
    assert.equal(seen.length, 12);
    all.forEach((id, i) => assert.ok(i < 2 || id !== all[i - 1]));
    const only = (row) => row.map((_, id) => (id === 6 ? 0 : -Infinity));
    assert.deepEqual([...model.generateSync({ ids, maxTokens: 3, temperature: 1, logits: only }).newIds], [6, 6, 6]);
    const nothing = () => {};
    const draw = { ids, maxTokens: 12, temperature: 1, seed: 2 };
    assert.deepEqual(model.generateSync({ ...draw, logits: nothing }), model.generateSync(draw));
    refused(() => model.generateSync({ ...draw, logits: async () => {} }), 'type', 'logits');
    refused(() => model.generateSync({ ...draw, logits: () => [1, 2] }), 'shape', 'logits');
    for (const value of [NaN, -Infinity]) {
      refused(() => model.generateSync({ ...draw, topP: 0.5, logits: (row) => row.fill(value) }), 'range', 'logits');
    }
    refused(
      () => model.generateSync({ ...draw, logits: (row) => void structuredClone(row, { transfer: [row.buffer] }) }),
      'shape',
      'logits',
    );
    twin.free();
  });
});

test('stop ends after any of its sequences of new tokens, which is part of the result', () => {
  withModel((model) => {
    const draw = { ids: [1, 2], maxTokens: 40, temperature: 1, seed: 6 };
    const all = [...model.generateSync(draw).newIds];
    for (let at = 1; at < 20; at++) {
      const end = all.slice(at - 1, at + 1);
      const first = all.findIndex((id, i) => i > 0 && all[i - 1] === end[0] && id === end[1]);
      const { newIds, endedBy } = model.generateSync({ ...draw, stop: [[9, 9, 9, 9], end] });
      assert.deepEqual([[...newIds], endedBy], [all.slice(0, first + 1), 'stop']);
    }
    assert.equal(
      model.generateSync({ ...draw, maxTokens: 1, stop: [[2, all[0]]] }).endedBy,
      'maxTokens',
      'not the prompt',
    );
    assert.equal(model.generateSync({ ...draw, endId: all[0], stop: [[all[0]]] }).endedBy, 'endId');
    assert.equal(model.generateSync({ ...draw, onToken: () => false }).endedBy, 'onToken');
    refused(() => model.generateSync({ ...draw, stop: ['end'] }), 'type', 'stop[0]'); // it knows no tokenizer
    refused(() => model.generateSync({ ...draw, stop: [[13]] }), 'token', 'stop[0]');
    refused(() => model.generateSync({ ...draw, stop: [[]] }), 'shape', 'stop[0]');
    refused(() => model.generateSync({ ...draw, stop: [3] }), 'type', 'stop[0]');
  });
});

test('an aborted generation throws; a loop has what there is', async () => {
  const model = gf.createModel({ ...DECODER, seed: 1 });
  const controller = new AbortController();
  const { signal } = controller;
  const given = { ids: [1], maxTokens: 20, signal };
  const seen = [];
  const looped = async () => {
    for await (const { id } of model.generate(given)) if (seen.push(id) === 4) controller.abort(Error('enough'));
  };
  await assert.rejects(looped, /enough/);
  assert.deepEqual(seen, [...model.generateSync({ ids: [1], maxTokens: 4 }).newIds]);
  for (const call of ['generateSync', 'generate']) {
    await assert.rejects(async () => model[call](given), /enough/);
    const error = { code: 'unknown', parameter: 'partial' };
    await assert.rejects(async () => model[call]({ ids: [1], partial: true }), error);
  }
  model.free();
});

test('topK and topP imply temperature 1; a seed that is drawn is in the result, and gives it again', () => {
  withModel((model) => {
    const given = { ids: [1, 2], maxTokens: 30 };
    const greedy = model.generateSync(given);
    for (const choice of [{ topK: 5 }, { topP: 0.9 }]) {
      const drawn = model.generateSync({ ...given, ...choice, seed: 3 });
      assert.deepEqual(drawn, model.generateSync({ ...given, ...choice, seed: 3, temperature: 1 }));
      assert.notDeepEqual(drawn.newIds, greedy.newIds);
      assert.deepEqual(model.generateSync({ ...given, ...choice, temperature: 0, seed: 3 }).newIds, greedy.newIds);
    }
    const all = model.generateSync({ ...given, temperature: 1, seed: 3 });
    for (const choice of [{ topP: 1 }, { topP: 0.9999999 }, { topK: 0 }, { topK: 13 }, { topK: 0, topP: 1 }]) {
      assert.deepEqual(model.generateSync({ ...given, ...choice, seed: 3 }), all, JSON.stringify(choice));
      assert.deepEqual(model.generateSync({ ...given, ...choice, temperature: 0, seed: 3 }).newIds, greedy.newIds);
    }
    assert.deepEqual(model.generateSync({ ...given, topK: undefined, topP: undefined }), greedy);
    const [one, two] = [0, 1].map(() => model.generateSync({ ...given, temperature: 1 }));
    assert.notEqual(one.seed, two.seed);
    assert.deepEqual(model.generateSync({ ...given, temperature: 1, seed: one.seed }), one);
  });
});

test('without maxTokens it goes on to maxLength; more than fits is cut, and the result says so', async () => {
  for (const positions of ['learned', 'sinusoidal']) {
    const model = gf.createModel({ ...DECODER, positions, maxLength: 12, seed: 1 });
    const all = await model.generate({ ids: [1, 2] });
    assert.deepEqual([all.ids.length, all.endedBy], [13, 'maxLength']);
    assert.equal(model.generateSync({ ids: [1, 2], maxTokens: 11 }).endedBy, 'maxTokens');
    const more = model.generateSync({ ids: [1, 2], maxTokens: 20 });
    assert.equal(more.endedBy, positions === 'learned' ? 'maxLength' : 'maxTokens');
    assert.equal(more.newIds.length, positions === 'learned' ? 11 : 20);
    assert.equal(model.generateSync({ ids: [1, 2], maxTokens: 20, window: 8 }).endedBy, 'maxTokens');
    model.free();
  }
});

test('a stream gives the tokens of generate, whatever else the model does in between', async () => {
  const model = gf.createModel({ ...DECODER, seed: 1 });
  const given = { ids: [1, 2], maxTokens: 12, temperature: 1, seed: 4, topP: 0.9 };
  const { newIds } = model.generateSync(given);
  const other = { ids: [3], maxTokens: 12 };
  const greedy = model.generateSync(other);
  const [one, two] = [model.generate(given)[Symbol.asyncIterator](), model.generate(other)[Symbol.asyncIterator]()];
  for (let i = 0; i < 12; i++) {
    const ends = i === 11 && { endedBy: 'maxTokens' };
    assert.deepEqual(await one.next(), { value: { id: newIds[i], row: 0, ...ends }, done: false });
    if (i === 4) model.forward({ ids: [5] });
    assert.deepEqual(await two.next(), { value: { id: greedy.newIds[i], row: 0, ...ends }, done: false });
  }
  assert.deepEqual(await one.next(), { value: model.generateSync(given), done: true });
  await two.return();
  const seen = [];
  for await (const { id } of model.generate({ ...given, endId: newIds[5] })) seen.push(id);
  assert.deepEqual(seen, [...newIds.slice(0, 1 + newIds.indexOf(newIds[5]))]);
  const before = gf.memoryBytes;
  for (let i = 0; i < 2000; i++) for await (const { id } of model.generate(given)) if (id >= 0) break;
  assert.equal(gf.memoryBytes, before, 'a loop that is left gives its memory back');

  const controller = new AbortController();
  const { signal } = controller;
  const aborted = model.generate({ ...given, signal })[Symbol.asyncIterator]();
  await aborted.next();
  controller.abort(Error('enough'));
  await assert.rejects(aborted.next(), /enough/);
  const refusals = [
    [
      { ...given, onToken() {} },
      { code: 'type', parameter: 'onToken', message: /left out/ },
    ],
    [
      { ...given, topP: 2 },
      { code: 'range', parameter: 'topP' },
    ],
  ];
  for (const [options, error] of refusals)
    await assert.rejects(model.generate(options)[Symbol.asyncIterator]().next(), error);
  const last = model.generate(given)[Symbol.asyncIterator]();
  await last.next();
  model.free();
  await assert.rejects(last.next(), { code: 'freed' });
});

test('the options that people try are named when they are refused', () => {
  withModel((model) => {
    const draw = { ids: [1], maxTokens: 2 };
    for (const [name, value, code] of [
      ['topP', 1.5, 'range'],
      ['topP', '1', 'type'],
      ['repetitionPenalty', 0, 'range'],
      ['logits', 1, 'type'],
    ]) {
      refused(() => model.generateSync({ ...draw, [name]: value }), code, name);
    }
    for (const [name, meant] of [
      ['top_p', 'topP'],
      ['repetition_penalty', 'repetitionPenalty'],
      ['max_new_tokens', 'maxTokens'],
      ['stopSequences', 'stop'],
      ['eos_token_id', 'endId'],
    ]) {
      assert.throws(() => model.generateSync({ ...draw, [name]: 1 }), {
        message: `${name}: unknown, did you mean ${meant}?`,
      });
    }
  });
});
