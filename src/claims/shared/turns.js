// Where a verdict turns: it is measured at each value of each scale of a claim, the others as the sentence has them.

/**
 * @typedef {import('./claim.js').Claim} Claim
 * @typedef {import('./claim.js').Verdict} Verdict
 */

/** Of each cell: one of long runs. @param {Pick<Claim, 'seeded' | 'long'>} claim */
export const seedsOf = ({ seeded, long }) => (seeded ? (long ? 1 : 3) : 0);

/**
 * The runs of a claim's scales, in their order.
 * @param {Pick<Claim, 'inputs' | 'scales' | 'seeded' | 'long'>} claim
 * @returns {import('./claim.js').Params[][]} by scale and value; the sentence's own has the seeds alone
 */
export function cellsOf(claim) {
  const seeds = seedsOf(claim);
  return claim.scales.map(({ name, values, ...scale }) => {
    const own = scale.default ?? claim.inputs.find((input) => input.name === name)?.default;
    return values.map((value) => ({ ...(value !== own && { [name]: value }), ...(seeds && { seeds }) }));
  });
}

/**
 * The verdict on the sentence in one of these runs.
 * @param {import('./claim.js').ClaimModule} module
 * @param {import('glassformer').Engine} gf
 * @param {import('./claim.js').Params} params of the cell
 * @returns {Promise<Verdict>}
 */
export async function verdictAt({ run, outcome }, gf, params) {
  const judged = outcome(await run(gf, params));
  if (judged.kind !== 'sentence') throw new TypeError('Numbers without switches are of the sentence.');
  return judged.verdict;
}
