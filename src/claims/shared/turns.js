// Where a verdict turns: it is measured at each value of each scale of a claim, the others as the sentence has them.

/**
 * @typedef {import('./claim.js').Claim} Claim
 * @typedef {import('./claim.js').Verdict} Verdict
 */

/** Of each cell. @param {Pick<Claim, 'seeded'>} claim */
export const seedsOf = ({ seeded }) => (seeded ? 3 : 0);

/** Of the sentence's own values. @param {Pick<Claim, 'seeded'>} claim @returns {import('./claim.js').Params} */
export const ownCell = (claim) => (claim.seeded ? { seeds: seedsOf(claim) } : {});

/**
 * The runs of a claim's scales, in their order.
 * @param {Pick<Claim, 'inputs' | 'scales' | 'seeded'>} claim
 * @returns {import('./claim.js').Params[][]} by scale and value; the sentence's own has the seeds alone
 */
export function cellsOf(claim) {
  const cell = ownCell(claim);
  return claim.scales.map(({ name, values, ...scale }) => {
    const own = scale.default ?? claim.inputs.find((input) => input.name === name)?.default;
    return values.map((value) => ({ ...(value !== own && { [name]: value }), ...cell }));
  });
}

/**
 * The verdict on the sentence in one of these runs. Where it differs from the sentence's own, it is that of as many
 * seeds as the sentence has, so that chance alone makes no turn.
 * @param {import('./claim.js').ClaimModule} module
 * @param {import('glassformer').Engine} gf
 * @param {import('./claim.js').Params} params of the cell
 * @param {Verdict} own
 * @returns {Promise<Verdict>}
 */
export async function verdictAt(module, gf, params, own) {
  const verdict = await verdictOf(module, gf, params);
  const { seeds, ...values } = params;
  return seeds && verdict !== own ? verdictOf(module, gf, values) : verdict;
}

/**
 * @param {import('./claim.js').ClaimModule} module
 * @param {import('glassformer').Engine} gf
 * @param {import('./claim.js').Params} params
 */
export async function verdictOf({ run, outcome }, gf, params) {
  const judged = outcome(await run(gf, params));
  if (judged.kind !== 'sentence') throw new TypeError('Numbers without switches are of the sentence.');
  return judged.verdict;
}
