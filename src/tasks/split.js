/**
 * A share of all sequences that exist is reserved: no training batch of any seed holds one of them,
 * and held-out sets hold nothing else. Which ones is decided by a hash that mixes every bit of
 * every id (MurmurHash3, Appleby 2011). A linear hash would not do: for a + b = c,
 * (7919 a + 104729 b) mod 10 is (a + b) mod 10, so that training would never see some sums.
 *
 * @param {ArrayLike<number>} ids
 * @param {number} [share] of the sequences
 * @returns {boolean} whether this one is reserved
 */
export function isReserved(ids, share = 0.1) {
  let hash = 0x5eed;
  for (let i = 0; i < ids.length; i++) {
    let k = Math.imul(ids[i], 0xcc9e2d51);
    k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    hash ^= k;
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash ^= ids.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 < share * 2 ** 32;
}

/**
 * @template T
 * @param {number} count
 * @param {() => T} draw
 * @param {(one: T) => boolean} [accept] draws that fail are thrown away
 * @returns {T[]} an example may come twice, as the draws come
 */
export function drawMany(count, draw, accept = () => true) {
  /** @type {T[]} */
  const list = [];
  while (list.length < count) {
    const one = draw();
    if (accept(one)) list.push(one);
  }
  return list;
}
