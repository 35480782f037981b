// Whether a run meets a challenge: by its report alone, so that the same run is judged the same everywhere.

/**
 * @typedef {import('./list.js').Challenge} Challenge
 * @typedef {{refused: string, isOver: boolean, isMet: boolean, says: string, score: number | null}} Verdict
 */

/**
 * `refused`: which rule the run breaks, so that it is no try; `isOver`: the goal is met, or can no longer be; `says`:
 * the result in words; `score`: of a run that meets the goal, null where tries are counted.
 * @param {Challenge} challenge
 * @param {import('./list.js').Attempt} attempt of the challenge's task
 * @param {import('./list.js').Settings} recipe of the task
 * @returns {Verdict}
 */
export function judge(challenge, attempt, recipe) {
  const { step, failure } = attempt;
  const facts = { recipe, attempt: { ...attempt, checks: attempt.checks.filter((each) => each.step <= step) } };
  const refused = challenge.refused(facts);
  const { isMet, says } = refused ? { isMet: false, says: '' } : challenge.goal(facts);
  const isOver = isMet || failure !== null || step >= challenge.end(facts);
  return { refused, isOver, isMet, says, score: (isMet && challenge.score?.(facts)) || null };
}
