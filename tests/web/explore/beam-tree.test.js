// Where the candidates of a beam search stand: a column for each step, nothing on another, the parent's order kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placed, shared, sharedStart, spread } from '../../../web/explore/shared/beam-tree.js';

const cut = { endedBy: /** @type {const} */ ('beams') };
const base = { logProbability: -1, sum: -1 };

test('places at least 1 apart, in their order, as near as can be', () => {
  assert.deepEqual(spread([0, 1, 2]), [0, 1, 2]);
  assert.deepEqual(spread([5, 9]), [5, 9]);
  assert.deepEqual(spread([3, 3, 3]), [2, 3, 4]);
  assert.deepEqual(spread([3, 0]), [1, 2], 'the order stands, though it is wanted otherwise');
  const wanted = [0.2, 0.1, 4, 4.5, 4.2, 9];
  const got = spread(wanted);
  got.forEach((y, i) => assert(i === 0 || y >= got[i - 1] + 1 - 1e-9, String(got)));
});

test('a tree: what goes on, the winner’s way, greedy’s, the rows and the steps', () => {
  const tree = [
    { id: 1, step: 0, parent: null, ...base },
    { id: 2, step: 0, parent: null, ...base },
    { id: 3, step: 0, parent: null, ...base, ...cut },
    { id: 4, step: 1, parent: 0, ...base, ...cut },
    { id: 5, step: 1, parent: 0, ...base },
    { id: 0, step: 1, parent: 1, ...base, endedBy: /** @type {const} */ ('endId'), score: -0.5 },
    { id: 6, step: 2, parent: 4, ...base, endedBy: /** @type {const} */ ('maxTokens'), score: -0.4 },
  ];
  const { nodes, rows, steps } = placed(tree, { best: [1, 5, 6], greedy: [2, 0] });
  assert.deepEqual(
    [steps, nodes.map(({ path }) => path.join(' '))],
    [3, ['1', '2', '3', '1 4', '1 5', '2 0', '1 5 6']],
  );
  assert.deepEqual(
    nodes.map(({ wins, isGreedy, lives }) => [wins, isGreedy, lives].map(Number).join('')),
    ['101', '011', '000', '000', '101', '011', '101'],
  );
  for (const step of [0, 1, 2]) {
    const column = nodes.filter((node) => node.step === step).map(({ y }) => y);
    column.toSorted((a, b) => a - b).forEach((y, i, all) => assert(i === 0 || y >= all[i - 1] + 1 - 1e-9));
    assert(column.every((y) => y >= 0 && y <= rows - 1));
  }
  assert(nodes[4].y <= nodes[5].y, 'in the order of their parents');
  assert.deepEqual(nodes[0].children, [3, 4]);
});

test('the winner’s line is straight where the tree then begins higher, else each column is in the middle', () => {
  const base = { logProbability: -1, sum: -1 };
  /**
   * Three steps of a branch, each beside four that are cut.
   * @param {boolean} isFirst whether that branch is the first of them
   */
  function treeOf(isFirst) {
    const ids = isFirst ? [0, 1, 2, 3, 4] : [1, 2, 3, 4, 0];
    /** @type {import('../../../web/explore/derived/beams.js').Candidate[]} */
    const tree = [];
    for (let step = 0; step < 3; step++) {
      const parent = step ? tree.findLastIndex(({ id }) => id === 0) : null;
      tree.push(...ids.map((id) => ({ id, step, parent, ...base, ...(id ? { endedBy: 'beams' } : {}) })));
    }
    return placed(tree, { best: [0, 0, 0], greedy: [0, 0, 0] });
  }
  const rowsOf = (/** @type {ReturnType<typeof placed>} */ { nodes }) =>
    nodes.filter(({ wins }) => wins).map(({ y }) => y);
  assert.deepEqual(rowsOf(treeOf(true)), [0, 0, 0]);
  assert.equal(treeOf(true).rows, 5, 'no higher than a column');
  assert.deepEqual(rowsOf(treeOf(false)), [4, 4, 4]);

  // A second branch above the winner's spreads more in each step: straight, the beginning would be pushed down.
  const cut = { endedBy: 'beams' };
  const two = [
    { id: 0, step: 0, parent: null, ...base },
    { id: 1, step: 0, parent: null, ...base },
    ...Array.from({ length: 6 }, (_, i) => ({ id: 2 + i, step: 1, parent: 0, ...base, ...(i ? cut : {}) })),
    { id: 8, step: 1, parent: 1, ...base },
  ];
  const { nodes } = placed(two, { best: [1, 8], greedy: [1, 8] });
  const [first, , ...second] = nodes.map(({ y }) => y);
  assert(first < 4 && Math.min(...second) === 0, `${first} ${second}`);
});

test('the beginning that two sequences share', () => {
  assert.deepEqual(
    [shared([1, 2, 3], [1, 2, 4]), shared([1], [1, 2]), shared([1, 2], [1]), shared([2], [1]), shared([], [1])],
    [2, 1, 1, 0, 0],
  );
});

test('a long beginning that a sequence shares with the best is left out, up to the last word before they part', () => {
  const best = 'le ruisseau était froid et le chien voulait le franchir.';
  const left = (/** @type {string} */ text) => text.slice(sharedStart(text, best));
  assert.equal(left('le ruisseau était froid et le chien voulait la franchir.'), 'voulait la franchir.');
  assert.equal(left('le ruisseau était froid et le chien voulaient'), 'chien voulaient');
  assert.equal(left('le ruisseau était froid et le roi'), 'le roi');
  assert.equal(left('le ruisseau était chaud'), 'le ruisseau était chaud', 'it is short');
  assert.equal(left('la rivière était froide'), 'la rivière était froide');
  assert.equal(left(best), 'franchir.');
  assert.equal(left(''), '');
});
