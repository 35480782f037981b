// A plan is made once for each state, whoever asks for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultState } from '../../../web/app/schema.js';
import { memoizedPlan } from '../../../web/engine/plan.js';

test('all who ask while a state is shown get one and the same plan', () => {
  let state = defaultState();
  const plan = memoizedPlan(
    () => state,
    () => undefined,
  );
  const first = plan();
  assert.equal(plan(), first);
  state = { ...state, text: `${state.text} x` };
  const second = plan();
  assert.notEqual(second, first);
  assert.equal(second.ids.length, first.ids.length + 1);
  assert.equal(plan(), second);
  state = { ...state, cursor: { ...state.cursor, row: 3 } };
  assert.equal(plan(), second, 'where the reader points plans nothing');
});
