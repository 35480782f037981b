// The address of the page, which is followed, and written after another switch.

import { writeAddress } from './schema.js';
import { claimOf, followed, isFresh } from './state.js';
import { spoken } from './wording.js';
import { inWords } from '../kit/in-words.js';

/**
 * @param {import('./state.js').Store} store @param {import('./runs.js').Runs} runs
 * @param {import('./claims.js').ClaimsClient} client @param {import('../kit/link.js').Link} page
 */
export function createCardLink({ get, set }, runs, client, page) {
  let known = ''; // as it was last followed or written
  const { write } = page.writer({
    place: 'claims',
    address: () => (known = writeAddress(get().address, claimOf(get()))),
  });

  /** @param {string} hash */
  function follow(hash) {
    const { claims, address: last } = get();
    if (claims.size === 0 || known === hash) return; // back to what was shown
    known = hash;
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
    /** Gets the claims, which come from the worker. */
    async open() {
      set({ problem: '' });
      try {
        const groups = await client.groups();
        const claims = new Map(groups.flatMap((group) => group.claims).map((claim) => [claim.number, claim]));
        set({ groups, claims });
      } catch (error) {
        set({ problem: inWords(error) });
      }
    },
    /** After a failure. */
    async openAgain() {
      await this.open();
      follow(location.hash);
    },
    follow,
    write,
  };
}
