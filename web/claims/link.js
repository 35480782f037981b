// The address of the page, which is followed, and written after another switch.

import { isHere, writeAddress } from './schema.js';
import { claimOf, followed, isFresh } from './state.js';
import { spoken } from './words.js';
import { inWords } from '../shared/in-words.js';

/**
 * @param {import('./state.js').Store} store @param {import('./runs.js').Runs} runs
 * @param {import('./claims.js').ClaimsClient} client
 */
export function createLink({ get, set }, runs, client) {
  let known = ''; // as it was last followed or written

  function follow() {
    const { claims, address: last } = get();
    if (!isHere() || claims.size === 0 || known === location.hash) return; // back to what was shown
    known = location.hash;
    const patch = followed(get(), known);
    const isOther = patch.address?.number !== last.number;
    if (isOther) runs.cancel();
    set(patch);
    const state = get();
    const claim = claimOf(state);
    const name = /[?&]card=/.test(known) ? (claim?.name ?? '') : ''; // the place opens on a card unasked
    document.title = [spoken(name), 'Claims', 'Glassformer'].filter(Boolean).join(' · ');
    runs.relate();
    if (isOther && claim) client.prepare().catch(() => {}); // the run says why
    if (state.revealed && !isFresh(state) && !claim?.long && state.address.view === 'card') runs.run();
  }

  return {
    /** With the claims, which come from the worker. */
    async open() {
      set({ problem: '' });
      try {
        const groups = await client.groups();
        const claims = new Map(groups.flatMap((group) => group.claims).map((claim) => [claim.number, claim]));
        set({ groups, claims });
      } catch (error) {
        return set({ problem: inWords(error) });
      }
      follow();
    },
    follow,
    write() {
      if (!isHere() || location.hash !== known) return; // another address waits for its event
      history.replaceState(null, '', writeAddress(get().address, claimOf(get())));
      known = location.hash;
    },
  };
}
