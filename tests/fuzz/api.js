// A random walk over the package's API: good, bad and odd arguments, objects that were freed, getters and
// callbacks that make calls themselves.
import { Tally, kindOf, replay, shrink, walk } from './api/walk.js';

export { replay };

export const about = 'calls of the API, good, bad, odd and re-entrant ones, in both variants';
export const long = 1_000_000;

/** Calls of one sequence, which has its own engine. */
const CALLS = 200;
const VARIANTS = ['simd', 'relaxed'];

/**
 * @param {{count: number, seed: number, first?: number, tally?: Tally}} options count: calls in both variants
 *   together; first: the sequence to begin with
 */
export async function run({ count: wanted, seed, first = 0, tally = new Tally() }) {
  const count = Math.ceil(wanted / CALLS);
  for (let i = first; i < first + count; i++) {
    const calls = Array.from({ length: CALLS }, (_, j) => i * CALLS + j);
    const sequence = { variant: VARIANTS[i % 2], seed, calls };
    try {
      await walk(sequence, tally);
    } catch (error) {
      const small = await shrink(sequence, kindOf(error));
      const script = `seed ${seed}: node tests/fuzz/api/replay.mjs '${JSON.stringify(small)}'`;
      throw new Error(`${script}\n${await replay(small)}`, { cause: error });
    }
  }
  const { calls, accepted, repeated, hooks, refused } = tally;
  return { calls, accepted, repeated, hooks, refused };
}
