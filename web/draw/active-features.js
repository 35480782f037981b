// Numbers of features, for the page's worker and for elements.

/**
 * The features that are active in a row, the strongest first.
 * @param {{values: Float32Array, size: number}} of @param {number} row
 */
export function activeAt({ values, size }, row) {
  const own = values.subarray(row * size, (row + 1) * size);
  return [...own.keys()].filter((n) => own[n] > 0).sort((a, b) => own[b] - own[a]);
}

const WORDS = 3;

/**
 * The words that become likelier by a feature, and those that become less likely; special tokens are none.
 * @param {ArrayLike<number>} nats change of each word's log-probability, with the feature beside without it
 * @param {(id: number) => string} wordOf
 */
export function writtenWords(nats, wordOf) {
  const order = Array.from(nats, (_, id) => id).filter((id) => !/^\[[A-Z]+\]$/.test(wordOf(id)));
  order.sort((a, b) => nats[b] - nats[a]);
  const list = (/** @type {number[]} */ ids) => ids.map((id) => ({ id, nats: nats[id] }));
  return {
    more: list(order.slice(0, WORDS)).filter(({ nats: by }) => by > 0),
    less: list(order.slice(-WORDS).reverse()).filter(({ nats: by }) => by < 0),
  };
}
