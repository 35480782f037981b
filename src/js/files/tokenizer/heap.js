/**
 * Gives back the least first.
 * @template T
 */
export class Heap {
  /** @type {T[]} */
  #items = [];
  #compare;

  /** @param {(a: T, b: T) => number} compare */
  constructor(compare) {
    this.#compare = compare;
  }

  /** @param {T} item */
  push(item) {
    const items = this.#items;
    let at = items.length;
    for (let above; at > 0 && this.#compare(item, items[(above = (at - 1) >> 1)]) < 0; at = above)
      items[at] = items[above];
    items[at] = item;
  }

  /** @returns {T | undefined} */
  pop() {
    const items = this.#items;
    const [top] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (let below; (below = 2 * at + 1) < items.length; at = below) {
      if (below + 1 < items.length && this.#compare(items[below + 1], items[below]) < 0) below++;
      if (this.#compare(items[below], last) >= 0) break;
      items[at] = items[below];
    }
    items[at] = last;
    return top;
  }
}
