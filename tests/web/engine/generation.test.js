// Texts that the model continues: the request, the tokens as they come and are written, and what ends them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGeneration, endingOf, hasEnded } from '../../../web/engine/generation.js';
import { createStore } from '../../../web/kit/store.js';

/** @param {import('node:test').TestContext} t @param {object} [of] `plan`, `config`: in part; `info`: there is one */
function begun(t, { plan = {}, config = {}, info = true } = /** @type {any} */ ({})) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const page = {
    store: createStore({
      ...{ written: [9], own: { row: true, key: true }, follow: false },
      writing: { length: 5, temperature: 0.8, topK: 0, seed: 3 },
    }),
    /** @type {any[]} */
    sent: [],
    /** @type {any[]} */
    failed: [],
    pace: 100,
  };
  const planned = { model: 'story', ids: [4, 5], interventions: ['off'], config: { seed: 0 }, ...plan };
  const generation = createGeneration({
    store: /** @type {any} */ (page.store),
    plan: () => /** @type {any} */ (planned),
    modelInfo: () =>
      info && /** @type {any} */ ({ config: { positions: 'learned', maxLength: 6, ...config }, endIds: [7] }),
    send: (request) => void page.sent.push(request),
    fail: (error) => void page.failed.push(error),
    pace: () => page.pace,
  });
  const written = () => page.store.get().written;
  return { ...page, page, ...generation, written, tick: (/** @type {number} */ ms) => t.mock.timers.tick(ms) };
}

test('what was written before goes, and the model is asked for as many tokens as it has positions', (t) => {
  const { start, sent, failed, written, store } = begun(t);
  start();
  assert.deepEqual([written(), store.get().own], [[], { row: false, key: false }]);
  const [{ signal, ...request }] = sent;
  assert.deepEqual(request, {
    ...{
      type: 'generate',
      id: 1,
      model: 'story',
      config: { seed: 0 },
      interventions: ['off'],
      ids: [4, 5],
      ending: [7],
    },
    options: { maxTokens: 4, temperature: 0.8, topK: 0, seed: 3 },
  });
  assert.deepEqual([failed, signal.aborted], [[], false]);
  for (const [of, maxTokens] of /** @type {[object, number | null][]} */ ([
    [{ plan: { ids: [1, 2, 3, 4, 5] } }, 1],
    [{ plan: { ids: [1, 2, 3, 4, 5, 6] } }, null],
    [{ config: { maxLength: 99 } }, 5],
    [{ config: { positions: 'rotary' }, plan: { ids: [1, 2, 3, 4, 5, 6] } }, 5],
  ])) {
    t.mock.timers.reset();
    const page = begun(t, of);
    page.start();
    assert.deepEqual(
      [page.sent.length, page.sent[0]?.options.maxTokens ?? null],
      [Number(maxTokens !== null), maxTokens],
    );
    const message = 'The text fills all 6 positions that this model has learned: shorten it first.';
    assert.deepEqual(page.failed, maxTokens ? [] : [{ code: 'range', parameter: '', message }]);
  }
});

test('without a model, a text, or tokens of it, nothing is asked', (t) => {
  for (const [of, before] of /** @type {[object, number[]][]} */ ([
    [{ info: false }, [9]],
    [{ plan: { model: null } }, []],
    [{ plan: { ids: [] } }, []],
    [{ plan: { isWaiting: true } }, []],
  ])) {
    const { start, sent, failed, written } = begun(t, of);
    start();
    assert.deepEqual([sent, failed, written()], [[], [], before]);
    t.mock.timers.reset();
  }
});

test('tokens are written one by one at the pace of now, with the cursor unless the reader has moved it', (t) => {
  const { page, start, receive, written, tick, store } = begun(t);
  start();
  receive({ type: 'token', id: 1, token: 3 });
  assert.deepEqual([written(), store.get().follow], [[3], true]);
  for (const token of [0, 5, 6]) receive({ type: 'token', id: 1, token });
  receive({ type: 'token', id: 0, token: 8 });
  tick(99);
  assert.deepEqual(written(), [3]);
  page.pace = 10;
  tick(1);
  assert.deepEqual(written(), [3, 0]);
  store.set({ own: { row: true, key: false } });
  tick(10);
  assert.deepEqual([written(), store.get().follow], [[3, 0, 5], false]);
  tick(10);
  tick(500);
  assert.deepEqual(written(), [3, 0, 5, 6]);
  receive({ type: 'token', id: 1, token: 2 });
  assert.deepEqual(written(), [3, 0, 5, 6, 2], 'one that comes late is written at once');
});

test('it ends when it is stopped or begun again; an error is passed on', (t) => {
  const { start, stop, receive, written, tick, sent, failed } = begun(t);
  const error = { code: 'memory', parameter: '', message: 'no' };
  start();
  for (const token of [3, 4]) receive({ type: 'token', id: 1, token });
  receive({ type: 'token', id: 1, error });
  assert.deepEqual([failed.splice(0), written()], [[error], [3]]);
  stop();
  tick(500);
  receive({ type: 'token', id: 1, token: 5 });
  receive({ type: 'token', id: 1, error });
  assert.deepEqual([written(), failed, sent[0].signal.aborted], [[3], [], true]);
  start();
  assert.deepEqual([sent[1].id, sent[1].signal.aborted, written()], [3, false, []]);
  receive({ type: 'token', id: 3, token: 6 });
  receive({ type: 'token', id: 3, token: 7 });
  start();
  tick(500);
  assert.deepEqual([sent[1].signal.aborted, written()], [true, []]);
  receive({ type: 'token', id: 4, token: 8 });
  assert.deepEqual(written(), [8]);
});

test('a story ends with its word “end”, another model with the tokens of its file, or with none', () => {
  const story = /** @type {any} */ ({ recipe: { task: 'story' }, vocabulary: ['the', 'end'] });
  const other = { ...story, recipe: { task: 'text' } };
  const own = { ...story, recipe: undefined };
  assert.deepEqual([endingOf(story), endingOf(other), endingOf(own)], [[1], [-1], [-1]]);
  assert.deepEqual(endingOf({ ...story, endIds: [5, 6] }), [5, 6]);
  for (const [text, isOver] of /** @type {[string, boolean][]} */ ([
    ...[['end', true], ['the end', true], ['the END . ', true], ['a\nend..', true]], // prettier-ignore
    ...[['bend', false], ['the end of', false], ['ends', false], ['', false]], // prettier-ignore
  ])) {
    assert.equal(hasEnded(text, story), isOver, text);
    assert.equal(hasEnded(text, other) || hasEnded(text, own), false);
  }
});
