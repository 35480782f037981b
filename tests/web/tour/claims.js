// The brief claims as they open and with their control or boundary, and one of the long ones a day, run by the
// published entry in a worker of this engine: Node's numbers to the bit, of one seed. Long trainings repeat the same
// operations. All of them, with five seeds and at all switches for which numbers are stated:
// node tests/claims-engines.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { claims } from '../../claims/kept.js';
import { ofTheDay } from '../../of-the-day.js';
import { inNode, inPage } from '../claims.js';
import { quiet } from './steps.js';

const RUN = [...claims.filter(({ claim }) => !claim.long), ...ofTheDay(claims.filter(({ claim }) => claim.long))];

/** @param {import('./steps.js').Tour} tour */
export default function claimsInEngine(tour) {
  test('claims: Node’s numbers and verdicts to the bit', async () => {
    const { page, url } = tour;
    const gf = await load({ variant: 'simd' });
    await page.goto(`${url}claims.html`);
    for (const module of RUN) {
      const { claim } = module;
      for (const switches of [{}, claim.contrast]) {
        const params = { ...switches, seeds: 1 };
        const [own, shown] = await Promise.all([inNode(gf, module, params), inPage(page, module, params)]);
        assert.deepEqual(shown, own, `${claim.number}. ${claim.name} at ${JSON.stringify(params)}`);
      }
    }
    await quiet(page);
  });
}
