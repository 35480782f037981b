// The address of the place, which follows the run and is followed.

import { unreadNotice } from '../kit/link.js';
import { readAddress, writeAddress } from './schema.js';
import { recipeOf, stepOf } from './state.js';

/** Marks an entry of the history whose address this page has written: a reload keeps the mark, a link has none. */
const OWN = 'train';

/**
 * @param {import('./state.js').Place} place
 * @param {import('../kit/link.js').Link} page
 */
export function createRunLink({ get, put, watch }, page) {
  let { report } = get(); // the last one that was seen
  const address = () => writeAddress({ ...get(), settings: get().start, step: stepOf(get()) }, recipeOf(get()));
  const { write, writeSoon, enter } = page.writer({
    place: 'train',
    address: () => (get().report ? address() : null),
    mark: OWN,
  });

  watch(() => {
    if (!get().report) return;
    put({ link: new URL(address(), location.href).href });
    if (get().report !== report) writeSoon();
    report = get().report;
  });

  /**
   * @param {string} hash @param {boolean} isBack
   * @returns {ReturnType<typeof readAddress> | void} what the address says, where that is to be begun
   */
  function follow(hash, isBack) {
    const isShown = /^#\/train\/?$/.test(hash) || (get().report && hash === address());
    if (isBack && get().report && isShown) return write(); // back to what was shown
    const recipes = new Map([...get().tasks].map(([name, { recipe }]) => [name, recipe]));
    const run = readAddress(hash, recipes);
    put({
      lesson: run.lesson,
      comparison: run.comparison,
      opens: Boolean(run.comparison),
      notice: unreadNotice(run.refused),
    });
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
