// The address of the place, which follows the run and is followed.

import { readAddress, writeAddress } from './schema.js';
import { recipeOf, stepOf } from './state.js';

/** Marks an entry of the history whose address this page has written: a reload keeps the mark, a link has none. */
const OWN = 'train';
const REST = 400; // ms; a browser refuses an address that changes too often

/**
 * @param {import('./place.js').Place} place
 * @param {import('./playback.js').Playback} playback
 */
export function createLink({ state, watch }, { pause }) {
  const isOwn = () => history.state === OWN;
  const isHere = () => /^#\/train\b/.test(location.hash);
  let known = ''; // the address as it was last followed or written
  let timer = 0;
  let isAway = false; // at another place
  let { report } = state; // the last one that was seen

  const address = () => writeAddress({ ...state, settings: state.start, step: stepOf(state) }, recipeOf(state));

  function write() {
    timer = 0;
    if (!isHere() || !state.report || location.hash !== known) return; // another address waits for its event
    if (known !== address() || !isOwn()) history.replaceState(OWN, '', address());
    known = location.hash;
  }

  const writeSoon = () => void (timer ||= setTimeout(write, REST));

  watch(() => {
    if (!state.report) return;
    state.link = new URL(address(), location.href).href;
    if (state.report !== report) writeSoon();
    report = state.report;
  });

  /** @returns {ReturnType<typeof readAddress> | void} what the address says, where that is to be begun */
  function follow() {
    const wasAway = isAway;
    isAway = !isHere();
    known = location.hash;
    if (isAway) return pause();
    const isShown = /^#\/train\/?$/.test(known) || (state.report && known === address());
    if (wasAway && state.report && isShown) return write(); // back to what was shown
    const recipes = new Map([...state.tasks].map(([name, { recipe }]) => [name, recipe]));
    const run = readAddress(known, recipes);
    const parts = run.refused.slice(0, 3).join(', ');
    state.guide = run.guide;
    state.challenge = run.challenge ? run.task : '';
    state.comparison = run.comparison;
    state.opens = Boolean(run.comparison);
    state.notice = [
      parts && `Parts of this link could not be read (${parts}) and have their default values.`,
      run.gone.length && `Train no longer has ${run.gone.join(' and ')}: the run goes on without.`,
    ]
      .filter(Boolean)
      .join(' ');
    return run;
  }

  return {
    address,
    /** Whether the address is of a run that this page has shown: it may be behind what is kept of it. */
    isOwn,
    /** At once. */
    write,
    writeSoon,
    follow,
    /**
     * A new entry of the history.
     * @param {import('./schema.js').Moment} run @param {import('./schema.js').Settings} recipe of its task
     */
    enter(run, recipe) {
      history.pushState(OWN, '', writeAddress(run, recipe));
      known = location.hash;
    },
  };
}
