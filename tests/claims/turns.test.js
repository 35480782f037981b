// Where verdicts turn: each cell is a run that the claim can make, and those that come with the page are such runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims, kindOf } from './kept.js';
import { settingsOf } from '../../src/claims/shared/claim.js';
import { cellsOf, ownCell, seedsOf, verdictAt, verdictOf } from '../../src/claims/shared/turns.js';
import { turnsIn } from '../../web/claims/turned.js';
import { turns } from '../../web/claims/turns.js';
import { VERDICTS as KINDS } from '../../web/claims/wording.js';
import { ofTheDay } from '../of-the-day.js';
import { VERDICTS, gf } from './check.js';

/** @type {Record<string, {when: string, seconds: number, seeds: number, verdicts: string[][]}>} */
const cards = turns.cards;
/** Claims whose cells take no longer than this, in seconds, are tried again: the brief all, of the others one a day
 * unless GLASSFORMER_SEEDS=all. */
const [BRIEF, LONGEST] = [0.5, 2];

test('every claim is measured at each value of its scales', () => {
  assert.deepEqual(
    Object.keys(cards).map(Number),
    claims.map(({ claim }) => claim.number).sort((a, b) => a - b),
  );
  for (const { claim } of claims) {
    const { when, seeds, verdicts } = cards[claim.number];
    assert.match(when, /^\d{4}-\d\d-\d\d$/);
    assert.equal(seeds, seedsOf(claim));
    assert.deepEqual(
      verdicts.map((list) => list.length),
      claim.scales.map(({ values }) => values.length),
      claim.name,
    );
    for (const verdict of verdicts.flat()) assert.ok(KINDS.includes(verdict), verdict);
    for (const params of cellsOf(claim).flat()) settingsOf(claim, params);
  }
});

test('a verdict that turns within its scales is “it depends”', () => {
  for (const { claim } of claims) {
    const all = new Set(cards[claim.number].verdicts.flat());
    const own = VERDICTS[claim.number];
    if (own !== 'it depends') assert.deepEqual([...all], [own], `${claim.number}. ${claim.name}`);
  }
});

test('a setting that is no switch makes a run a boundary', () => {
  for (const { claim } of claims)
    for (const scale of claim.scales) {
      const isSwitch = claim.inputs.some(({ name }) => name === scale.name);
      assert.equal(isSwitch, scale.default === undefined, `${claim.name}: ${scale.name}`);
      if (!isSwitch)
        for (const value of scale.values)
          assert.equal(kindOf(claim, { [scale.name]: value }), value === scale.default ? 'sentence' : 'boundary');
    }
});

test('what comes with the page is what the run of the cell says', async () => {
  /** @param {typeof claims[number]} module */
  const secondsOf = ({ claim }) => cards[claim.number].seconds / cellsOf(claim).flat().length;
  const longer = claims.filter((each) => secondsOf(each) > BRIEF && secondsOf(each) <= LONGEST);
  for (const module of [...claims.filter((each) => secondsOf(each) <= BRIEF), ...ofTheDay(longer)]) {
    const { claim } = module;
    const { verdicts } = cards[claim.number];
    const cells = cellsOf(claim);
    const own = await verdictOf(module, gf, ownCell(claim));
    // The first and the last value of each scale.
    for (const [s, runs] of cells.entries())
      for (const v of [0, runs.length - 1])
        assert.equal(
          await verdictAt(module, gf, runs[v], own),
          verdicts[s][v],
          `${claim.number} ${JSON.stringify(runs[v])}`,
        );
  }
});

test('a turn is between neighbours whose verdicts differ', () => {
  assert.deepEqual(turnsIn([1, 2, 3], ['true', 'true', 'true']), []);
  assert.deepEqual(turnsIn([1, 2, 3, 4], ['true', 'it depends', 'it depends', 'false']), [
    [1, 2],
    [3, 4],
  ]);
});
