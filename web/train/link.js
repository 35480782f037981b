// The address of the place, which follows the run and is followed.

import { readAddress, writeAddress } from './address.js';
import { recipeOf, stepOf } from './state.js';

const REST = 400; // ms; a browser refuses an address that changes too often

/**
 * @param {object} place
 * @param {import('./state.js').TrainState} place.state
 * @param {() => void} place.pause at another place
 * @param {(run: ReturnType<typeof readAddress>, isFirst: boolean) => void} place.begin what the address says;
 *   `isFirst`: the page has just been opened
 */
export function createLink({ state, pause, begin }) {
  const isHere = () => /^#\/train\b/.test(location.hash);
  let known = ''; // the address as it was last followed or written
  let timer = 0;
  let [isAway, isFirst] = [false, true]; // at another place; what is opened

  const address = () => writeAddress({ ...state, settings: state.start, step: stepOf(state) }, recipeOf(state));

  function write() {
    timer = 0;
    if (!isHere() || !state.report || location.hash !== known) return; // another address waits for its event
    if (known !== address()) history.replaceState(null, '', address());
    known = location.hash;
  }

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
    state.twins = run.twins;
    state.notice = parts && `Parts of this link could not be read (${parts}) and have their default values.`;
    begin(run, isFirst);
    isFirst = false;
  }

  return {
    address,
    /** At once. */
    write,
    writeSoon() {
      timer ||= setTimeout(write, REST);
    },
    follow,
    /**
     * A new entry of the history.
     * @param {import('./address.js').Place} run @param {import('./address.js').Settings} recipe of its task
     */
    enter(run, recipe) {
      history.pushState(null, '', writeAddress(run, recipe));
      known = location.hash;
    },
  };
}
