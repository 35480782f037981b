// The verdict of each sentence at its own switches, and that its control or boundary is described, never judged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims, kindOf, settingsToCheck } from './kept.js';
import { settingsOf } from '../../src/claims/shared/claim.js';
import { VERDICTS, outcomeOf } from './check.js';

for (const module of claims) {
  const { claim } = module;
  const { number, name, contrast } = claim;
  const kind = kindOf(claim, contrast);
  test(`${number}. ${name}: ${VERDICTS[number]}; its ${kind} has no verdict`, async () => {
    const own = await outcomeOf(module, { seeds: 1 });
    assert.ok(own.kind === 'sentence');
    assert.equal(own.verdict, VERDICTS[number], own.found);
    assert.equal(own.verdict === 'it depends', Boolean(own.on), 'it depends on something');
    const other = await outcomeOf(module, { ...contrast, seeds: 1 });
    assert.deepEqual(Object.keys(other).sort(), ['found', 'kind']);
    assert.equal(other.kind, kind);
    assert.notEqual(other.found, own.found);
  });
}

test('no switch gives a run a verdict but those of the sentence', () => {
  for (const { claim } of claims) {
    assert.equal(kindOf(claim, { seed: 3, seeds: 1 }), 'sentence');
    for (const { name, values, default: own, controls = [] } of claim.inputs) {
      for (const value of controls) assert.ok(values.includes(value) && value !== own);
      for (const value of values)
        assert.equal(
          kindOf(claim, { [name]: value }),
          value === own ? 'sentence' : controls.includes(value) ? 'control' : 'boundary',
        );
    }
    const [first, ...others] = settingsToCheck(claim);
    assert.deepEqual(first, {});
    for (const at of others) assert.notEqual(kindOf(claim, at), 'sentence');
    assert.ok(others.some((at) => JSON.stringify(at) === JSON.stringify(claim.contrast)));
  }
});

test('what would not test the sentence is not offered: an odd number of neurons cannot be the line under x²', () => {
  const { claim } = claims.find((one) => one.claim.number === 7) ?? assert.fail();
  assert.throws(() => settingsOf(claim, { neurons: 7 }), { code: 'range', parameter: 'neurons' });
  for (const { name, values } of claim.inputs)
    if (name === 'neurons') for (const value of values) assert.equal(Number(value) % 2, 0);
});
