// Runs a call that goes step by step: at once, taking turns with the event loop, or as a loop asks for it.
/** @typedef {import('./generate.js').Generating} Generating */
/** @typedef {import('./generate.js').Token} Token */

/**
 * @param {Generating} generating
 */
export function atOnce(generating) {
  let step = generating.next();
  while (!step.done) step = generating.next(step.value);
  return step.value;
}

/** Since when this turn of the event loop has lasted; a new one after 30 ms. @param {number} turn */
export const turnOf = (turn) =>
  // Browsers hold a timer back for some 4 ms.
  Date.now() - turn > 30 ? new Promise((done) => setTimeout(() => done(Date.now()))) : turn;

/**
 * @param {Generating | AsyncGenerator<unknown, any, unknown>} generating
 */
export async function inTurns(generating) {
  try {
    let step = await generating.next();
    let turn = Date.now();
    while (!step.done) {
      const answer = await step.value;
      turn = await turnOf(turn);
      step = await generating.next(answer);
    }
    return step.value;
  } finally {
    generating.return(/** @type {any} */ (undefined)); // where a thread failed
  }
}

/**
 * @param {Generating} generating
 * @param {(run: () => ReturnType<Generating['next']>) => ReturnType<Generating['next']>} within makes a step
 * @returns {AsyncGenerator<Token, any, unknown>} sent 'stop', it ends a row
 */
export async function* asAsked(generating, within) {
  try {
    /** @type {unknown} */
    let answer;
    for (let turn = Date.now(); ; turn = await turnOf(turn)) {
      const { done, value } = within(() => generating.next(answer));
      if (done) return value;
      answer = value instanceof Promise ? await value : yield /** @type {Token} */ (value);
    }
  } finally {
    generating.return(/** @type {any} */ (undefined)); // where the loop was left
  }
}
