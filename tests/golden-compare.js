// One computed tensor against its truth: the pass rule of tests/golden/README.md.

/**
 * @typedef {{dtype: string, shape: number[], data: ArrayLike<number>}} Truth
 * @typedef {{data: ArrayLike<number>, shape: number[]}} Tensor
 */

/**
 * compare: what is wrong with `got`, or '' when it passes, and how much of the tolerance it used
 * (1 = all). Integers must be equal. Else |got - truth| <= atol + rtol*|truth|; an infinite truth
 * must be met exactly. NaN as truth is a query whose keys are all hidden: there got must be
 * finite, and exactly 0 in attention weights (`zero`). The mean loss over no target at all is NaN
 * by definition (`mean`), as in PyTorch.
 * @param {Truth} truth @param {Tensor | number | undefined} result
 * @param {{atol?: number, rtol?: number, zero?: boolean, mean?: boolean}} rule
 * @returns {{problem: string, used: number}}
 */
export function compare(truth, result, { atol = NaN, rtol = NaN, zero = false, mean = false }) {
  const fail = (/** @type {string} */ problem) => ({ problem, used: Infinity });
  if (result === undefined) return fail('the runner does not know how to get it');
  const got = typeof result === 'number' ? { data: [result], shape: [] } : result;
  if (`${got.shape}` !== `${truth.shape}` || got.data.length !== truth.data.length)
    return fail(`shape [${got.shape}] with ${got.data.length} entries, truth has [${truth.shape}]`);
  const exact = truth.dtype === 'I32';
  if (!exact && !(atol >= 0 && rtol >= 0)) return fail(`the case gives no tolerance (atol ${atol}, rtol ${rtol})`);

  let used = 0,
    worst = -1,
    outside = 0;
  for (let i = 0; i < truth.data.length; i++) {
    const t = truth.data[i],
      g = got.data[i];
    let share; // of the tolerance
    if (exact || (!Number.isFinite(t) && !Number.isNaN(t))) share = g === t ? 0 : Infinity;
    else if (Number.isNaN(t)) share = (mean ? Number.isNaN(g) : zero ? g === 0 : Number.isFinite(g)) ? 0 : Infinity;
    else {
      const error = Math.abs(g - t),
        limit = atol + rtol * Math.abs(t);
      share =
        error <= limit ? error && error / limit : Number.isNaN(error) ? Infinity : Math.max(error / limit, 1 + 1e-9);
    }
    if (share > 1) outside++;
    if (share > used || worst < 0) {
      used = share;
      worst = i;
    }
  }
  if (!outside) return { problem: '', used };
  const t = truth.data[worst],
    g = got.data[worst];
  const rule = exact
    ? 'must be equal'
    : Number.isNaN(t)
      ? mean
        ? 'no target counts: must be NaN'
        : `all keys hidden: must be ${zero ? '0' : 'finite'}`
      : `error ${short(Math.abs(g - t))}, tolerance ${short(atol + rtol * Math.abs(t))}`;
  return {
    problem:
      `at ${place(worst, truth.shape)} got ${g}, truth ${t}: ${rule}; ` + `${outside} of ${truth.data.length} outside`,
    used,
  };
}

/** @param {number} x */
const short = (x) => x.toPrecision(3);

/** [1,3,2] of a flat index. @param {number} flat @param {number[]} shape */
export function place(flat, shape) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index.unshift(flat % shape[axis]);
    flat = Math.floor(flat / shape[axis]);
  }
  return `[${index}]`;
}
