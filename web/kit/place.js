// The life of a place: it is opened when an address first names it, follows each address that names it, and is left.

/**
 * `follow`: what an address says, also when the place has just been opened; `isBack`: another place was shown before;
 * `leave`: another place is shown.
 * @typedef {{follow: (hash: string, isBack: boolean) => unknown, leave?: () => void}} Life
 */

/**
 * @param {Record<string, Life | (() => Promise<Life>)>} places
 * @param {object} page
 * @param {(place: string) => void} page.show
 * @param {(place: string, again: () => void) => void} page.failed it could not be opened; `again` tries once more
 */
export function createPlaces(places, { show, failed }) {
  /** @type {Map<string, Life | null>} null: it is being opened */
  const lives = new Map();
  let current = '';

  /** @param {string} place @param {() => Promise<Life>} open */
  async function begin(place, open) {
    lives.set(place, null);
    try {
      lives.set(place, await open());
    } catch {
      lives.delete(place);
      return failed(place, () => go(place, location.hash));
    }
    if (place === current) lives.get(place)?.follow(location.hash, true);
  }

  /** Shows a place. @param {string} place @param {string} hash that names it */
  function go(place, hash) {
    const before = current;
    current = place;
    if (before !== place) lives.get(before)?.leave?.();
    show(place);
    const given = places[place];
    const life = typeof given === 'object' ? given : lives.get(place);
    lives.set(place, life ?? null);
    if (life) return life.follow(hash, before !== place);
    return life === null || typeof given !== 'function' ? undefined : begin(place, given);
  }

  return { go };
}
