// Where the candidates of a beam search stand: a column for each step, a row for each line of them.

/**
 * @typedef {import('../derived/beams.js').Candidate} Candidate
 * `y`: in rows; `lives`: something goes on from it or it ended as a sequence; `wins`: on the way to the best;
 * `isGreedy`: on the way that greedy takes; `path`: its ids from the beginning.
 * @typedef {Candidate & {
 *   at: number, y: number, lives: boolean, wins: boolean, isGreedy: boolean, path: number[], children: number[],
 * }} Placed
 */

/**
 * @param {readonly Candidate[]} tree
 * @param {{best: readonly number[], greedy: readonly number[]}} ways their ids
 * @returns {{nodes: Placed[], rows: number, steps: number}} the nodes in the order of the tree
 */
export function placed(tree, { best, greedy }) {
  /** @type {Placed[]} */
  const nodes = [];
  tree.forEach((each, at) => {
    const path = [...(each.parent === null ? [] : nodes[each.parent].path), each.id];
    const isOn = (/** @type {readonly number[]} */ ids) => path.every((id, i) => id === ids[i]);
    const lives = each.endedBy !== 'beams';
    const marks = { lives, wins: lives && isOn(best), isGreedy: lives && isOn(greedy) };
    nodes.push({ ...each, ...marks, at, y: 0, path, children: [] });
    if (each.parent !== null) nodes[each.parent].children.push(at);
  });
  const steps = nodes.reduce((most, { step }) => Math.max(most, step + 1), 0);
  // A reader begins at the first node: the drawing in which it stands higher stays.
  const bent = place(nodes, steps, false);
  if (place(nodes, steps, true) > bent) place(nodes, steps, false);
  const rows = nodes.reduce((most, { y }) => Math.max(most, y + 1), 0);
  return { nodes, rows, steps };
}

/**
 * Gives each node its row.
 * @param {Placed[]} nodes @param {number} steps
 * @param {boolean} isStraight whether each column is moved so that the winner's line has no bend
 * @returns {number} the row of the first node
 */
function place(nodes, steps, isStraight) {
  let before = nodes.filter(({ parent }) => parent === null);
  before.forEach((node, i) => void (node.y = i));
  for (let step = 1; step < steps; step++) {
    const column = before.toSorted((a, b) => a.y - b.y).flatMap(({ children }) => children.map((at) => nodes[at]));
    const wanted = column.map(({ parent, at }) => {
      const { y, children } = nodes[Number(parent)];
      const straight = children.findIndex((each) => nodes[each].lives); // goes on in the row of its parent
      return y + children.indexOf(at) - Math.max(0, straight);
    });
    const found = spread(wanted);
    const best = isStraight ? column.findIndex(({ wins }) => wins) : -1;
    const shift = best < 0 ? 0 : found[best] - nodes[Number(column[best].parent)].y;
    found.forEach((y, i) => void (column[i].y = y - shift));
    before = column;
  }
  const top = nodes.reduce((least, { y }) => Math.min(least, y), Infinity);
  for (const node of nodes) node.y -= top;
  return nodes[0]?.y ?? 0;
}

/**
 * Places in this order, at least 1 apart, as near as can be to those that are wanted: the isotonic regression of them
 * without the distances (pool adjacent violators, Barlow et al. 1972).
 * @param {readonly number[]} wanted
 */
export function spread(wanted) {
  /** @type {{mean: number, count: number}[]} */
  const pools = [];
  wanted.forEach((each, i) => {
    let pool = { mean: each - i, count: 1 };
    for (let last = pools.at(-1); last && last.mean > pool.mean; last = pools.at(-1)) {
      const count = last.count + pool.count;
      pool = { mean: (last.mean * last.count + pool.mean * pool.count) / count, count };
      pools.pop();
    }
    pools.push(pool);
  });
  return pools.flatMap(({ mean, count }) => Array.from({ length: count }, () => mean)).map((each, i) => each + i);
}

/**
 * So many tokens or words two sequences share at their beginning.
 * @template T
 * @param {readonly T[]} a @param {readonly T[]} b
 */
export function shared(a, b) {
  const at = a.findIndex((id, i) => id !== b[i]);
  return at < 0 ? a.length : at;
}

const LONG = 20; // characters that are worth leaving out

/**
 * So many characters of a text are words that another one begins with, too, but for the last of these, which leads on;
 * 0: too few to leave out.
 * @param {string} text @param {string} other
 */
export function sharedStart(text, other) {
  const [words, others] = [text, other].map((each) => each.split(' '));
  const same = shared(words, others);
  const { length } = words.slice(0, Math.max(0, same - 1)).join(' ');
  return length < LONG ? 0 : length + 1;
}
