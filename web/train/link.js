// The address of the place, which follows the run and is followed.

import { unreadNotice } from '../kit/link.js';
import { readAddress, writeAddress } from './schema.js';
import { recipeOf, stepOf } from './state.js';

/** Marks an entry of the history whose address this page has written: a reload keeps the mark, a link has none. */
const OWN = 'train';

/**
 * @param {import('./place.js').Place} place
 * @param {import('../kit/link.js').Link} page
 */
export function createLink({ state, watch }, page) {
  let { report } = state; // the last one that was seen
  const address = () => writeAddress({ ...state, settings: state.start, step: stepOf(state) }, recipeOf(state));
  const { write, writeSoon, enter } = page.writer({
    place: 'train',
    address: () => (state.report ? address() : null),
    mark: OWN,
  });

  watch(() => {
    if (!state.report) return;
    state.link = new URL(address(), location.href).href;
    if (state.report !== report) writeSoon();
    report = state.report;
  });

  /**
   * @param {string} hash @param {boolean} isBack
   * @returns {ReturnType<typeof readAddress> | void} what the address says, where that is to be begun
   */
  function follow(hash, isBack) {
    const isShown = /^#\/train\/?$/.test(hash) || (state.report && hash === address());
    if (isBack && state.report && isShown) return write(); // back to what was shown
    const recipes = new Map([...state.tasks].map(([name, { recipe }]) => [name, recipe]));
    const run = readAddress(hash, recipes);
    state.guide = run.guide;
    state.challenge = run.challenge ? run.task : '';
    state.comparison = run.comparison;
    state.opens = Boolean(run.comparison);
    state.notice = [
      unreadNotice(run.refused),
      run.gone.length && `Train no longer has ${run.gone.join(' and ')}: the run goes on without.`,
    ]
      .filter(Boolean)
      .join(' ');
    return run;
  }

  return {
    address,
    /** Whether the address is of a run that this page has shown: it may be behind what is kept of it. */
    isOwn: () => history.state === OWN,
    /** At once. */
    write,
    writeSoon,
    follow,
    /**
     * A new entry of the history.
     * @param {import('./schema.js').Moment} run @param {import('./schema.js').Settings} recipe of its task
     */
    enter: (run, recipe) => enter(writeAddress(run, recipe)),
  };
}
