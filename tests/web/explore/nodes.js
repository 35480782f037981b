// Every node but attention to its standard: a picture, a Why that plays (but of Words), a Try of its own. What is
// printed is the trace's.
import assert from 'node:assert/strict';
import { assertPrinted, assertShort, numberOf } from '../checks.js';
import { gf, open } from './table.js';

Object.assign(globalThis, { cancelAnimationFrame: () => {} });
Object.defineProperty(document.defaultView?.HTMLElement.prototype, 'clientWidth', {
  get: () => 700,
  configurable: true,
});
const { features } = await import('../../../web/explore/index.js');

/** @param {string} node @param {string} slot */
const rowsOf = (node, slot) =>
  /** @type {any[]} */ (features).filter(
    (row) => row.slot === slot && row.nodes?.includes(node) && 'load' in row && !row.name.startsWith('feature-'),
  );
/** @param {string} name */
const load = async (name) => /** @type {any} */ (features.find((each) => each.name === name)).load();
export const nodeTry = await load('node-try');
/** @param {string[]} names */
export const asking = (names) => ({ name: 'asking', needs: () => names, render: () => null });

/** The nodes of the model graph, and the link of each. @param {string} link */
async function nodesOf(link) {
  const page = await open(asking(['@stream']), link);
  const graph = page.result().derived.get('@stream');
  return ['encoder', 'decoder'].flatMap((stack) => {
    let stage = -1;
    return (graph[stack]?.nodes ?? []).flatMap((/** @type {any} */ node) => {
      stage += Number(node.stream);
      if (node.kind === 'attention') return [];
      const { selection } = page.state();
      const isHere = (selection.kind === 'encoder') === (stack === 'encoder');
      const kind = isHere ? '' : `&attention=${node.attention}`;
      const head = node.layer === null ? '' : `&head=${node.layer + 1}.1`;
      const place = `&sublayer=${node.sublayer}&stage=${Math.max(0, stage)}`;
      return [{ ...node, stack, at: `${link}${kind}${head}&part=${node.kind}${place}` }];
    });
  });
}

/**
 * Each node of a state has a picture, a Try and, where numbers are computed, a Why with true ones.
 * @param {string} link @param {number} [only] this layer, and what is in none; every-view.test.js has all
 */
export async function checkNodes(link, only) {
  let count = 0;
  for (const node of await nodesOf(link)) {
    if (only !== undefined && node.layer !== null && node.layer !== only) continue;
    const { kind, at } = node;
    const what = `${node.stack} ${kind} ${at}`;
    const hasLogits = !link.includes('untrained');
    if (!hasLogits && ['logits', 'probabilities'].includes(kind)) continue;
    const pictures = await Promise.all(rowsOf(kind, 'main').map((row) => row.load()));
    const shown = await Promise.all(pictures.map((each) => open(each, at)));
    assert(shown.length > 0, what);
    for (const page of shown) {
      const section = page.root.querySelector('section.picture');
      assert(section?.querySelector('h2')?.textContent, what);
      assert(section?.querySelector('[role=application], table'), `${what}: a map or a table`);
      assert.doesNotMatch(page.text(), /NaN|undefined|\[object/, what);
    }
    const whys = rowsOf(kind, 'why').filter(({ name }) => name.endsWith('-why'));
    assert.equal(whys.length, kind === 'tokens' ? 0 : 1, `${what}: ids are the tokenizer’s, not computed`);
    if (whys.length) await checkWhy(whys[0], node, what);

    const tries = await open(nodeTry, at);
    assert(tries.root.querySelector('#try-node :is(button, input, select), #try-node .hint'), what);
    assert.doesNotMatch(tries.text(), /NaN|undefined|\[object|Head/, what);
    count++;
  }
  assert(count > 6, `${count}`);
}

/** A Why with true numbers, which steps. @param {any} row @param {any} node @param {string} what */
async function checkWhy(row, node, what) {
  const why = await open(await row.load(), node.at);
  assert.match(why.all('h2')[0] ?? '', /^Why \S.*\?$/, what);
  assert(why.all('.why-step').length >= (/^(add|norm)$/.test(node.kind) ? 2 : 1), what);
  assert(why.root.querySelector('.why-play') && why.root.querySelector('input[type=range]'), what);
  assert.equal(why.all('.ahead').length, 0, 'all of it is shown');
  assert.doesNotMatch(why.text(), /NaN|undefined|\[object/, what);
  await CHECKS[row.name](why, node, what);
  // It steps: the last row is taken back, and comes again.
  await why.click('[aria-label="Step back"]');
  assert.equal(why.all('.ahead').length, Number(why.all('.why-step').length > 1), what);
}

/** The numbers of the rows by their names. @param {Awaited<ReturnType<typeof open>>} page */
const numbersOf = (page) =>
  Object.fromEntries(
    [...page.root.querySelectorAll('[data-number]')].map((each) => [
      /** @type {HTMLElement} */ (each).dataset.number,
      each.textContent ?? '',
    ]),
  );

/** A row of a tensor at the cursor. @param {any} page @param {string} link @param {string[]} names */
async function trace(page, link, names) {
  const { plan } = page.result();
  const asked = await open(asking(names), link);
  assert.deepEqual(asked.result().plan.key, plan.key);
  const { tensors } = asked.result();
  return names.map((name) => {
    const { data, shape } = /** @type {any} */ (tensors.get(name) ?? assert.fail(name));
    const width = shape.at(-1);
    const row = Math.min(asked.state().cursor.row, data.length / width - 1);
    return data.subarray(row * width, (row + 1) * width);
  });
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => Array.from(a).reduce((sum, value, i) => sum + value * b[i], 0);
/** @param {ArrayLike<number>} vector */
export const length = (vector) => Math.sqrt(dot(vector, vector));

/** @type {Record<string, (page: any, node: any, what: string) => Promise<void>>} */
const CHECKS = {
  async 'neuron-why'(page, { stack, layer, at }, what) {
    const isGated = page.result().plan.settings.ffn === 'gated';
    const roles = ['pre_activation', 'activation', ...(isGated ? ['up', 'product'] : [])];
    const names = roles.map((role) => `${stack}.layers.${layer}.ffn.${role}`);
    const [pre, act, up, product] = await trace(page, at, names);
    const [value] = [product ?? act];
    const n = Number(/neuron (\d+)/.exec(page.all('.why-line')[0])?.[1]);
    assert.equal(Math.abs(value[n]), Math.max(...Array.from(value, (each) => (isGated ? Math.abs(each) : each))), what);
    const numbers = numbersOf(page);
    assertShort(numbers[isGated ? 'gate' : 'product'], pre[n], what);
    if (up) assertPrinted(numbers.up, up[n], what);
    const among = Object.keys(numbers).find((each) => !['gate', 'product', 'up', 'value'].includes(each));
    assertPrinted(numbers[String(among)], value[n], what);
    assertPrinted(page.all('h2')[0].slice(4, -1), value[n], what);
    // The dot product that is drawn makes it: vector, key and bias from the model's own weights.
    const { x, key, bias } = page
      .result()
      .derived.get(page.needs().find((/** @type {string} */ each) => /why-n/.test(each)));
    assert(Math.abs(dot(x, key) + bias - pre[n]) < 1e-4 * Math.max(1, Math.abs(pre[n])), what);
  },
  async 'embedding-why'(page, { stack, at }, what) {
    const [own, sum] = await trace(page, at, [`${stack}.embedding`, `${stack}.input`]);
    const numbers = numbersOf(page);
    assertPrinted(numbers.input, sum[0], what);
    assertPrinted(numbers.scaled ?? numbers.row, own[0], what);
    const rest = numbers.position ? 1 : 0;
    if (!rest && !numbers.type) assert.equal(own[0], sum[0]);
    assertPrinted(page.all('h2')[0].slice(4, -1), sum[0], what);
  },
  async 'positions-why'(page, { stack, at }, what) {
    const [own, sum] = await trace(page, at, [`${stack}.embedding`, `${stack}.input`]);
    const { data, shape } = page.result().tensors.get(`${stack}.positions`);
    const { row } = page.state().cursor;
    const [value] = data.subarray(row * shape.at(-1));
    const numbers = numbersOf(page);
    assertPrinted(page.all('h2')[0].slice(4, -1), value, what);
    assertPrinted(numbers.word, own[0], what);
    assertPrinted(numbers.input, sum[0], what);
    if (page.result().plan.settings.positions === 'sinusoidal') {
      assertPrinted(numbers.position, row, what); // dimension 0 turns by 1 from position to position
      assertPrinted(numbers.sin, Math.sin(row), what);
    }
  },
  async 'norm-why'(page, { tensor, before, at, layer }, what) {
    const [x, y] = await trace(page, at, [before, tensor]);
    const numbers = Object.values(numbersOf(page));
    assertPrinted(page.all('h2')[0].slice(4, -1), y[0], `${what} ${layer}`);
    assertPrinted(numbers[0], x[0], what);
    assertPrinted(String(numbers.at(-1)), y[0], what);
    const mean = page.result().plan.settings.normKind === 'rms' ? 0 : Array.from(x).reduce((a, b) => a + b) / x.length;
    const { epsilon } = page.result().derived.get(page.needs()[0]);
    const deviation = Math.sqrt(
      dot(
        x.map((/** @type {number} */ each) => each - mean),
        x.map((/** @type {number} */ each) => each - mean),
      ) /
        x.length +
        epsilon,
    );
    assertPrinted(String(numbers.at(-2)), (x[0] - mean) / deviation, what);
    // The printed numbers agree: less the mean, by the deviation, times the gain, plus the bias.
    const [given, ...made] = numbers.map((each) => numberOf(String(each)));
    const notes = page.all('.why-result p').join(', ');
    const of = (/** @type {string} */ name) =>
      numberOf(new RegExp(`(?:^|, )${name} (−?[\\d.]+)`).exec(notes)?.[1] ?? '') || 0;
    const places = String(numbers[0]).split('.')[1]?.length ?? 0;
    const half = 0.5001 * 10 ** -places;
    const less = mean ? given - of('mean') : given;
    const [centred, normed, out] = mean ? made : [given, ...made];
    assert(Math.abs(less - centred) <= half, `${what}: ${given} − ${of('mean')} = ${centred}`);
    const by = of(mean ? 'deviation' : 'root mean square');
    assert(Math.abs(centred / by - normed) <= half, `${what}: ${centred} ÷ ${by} = ${normed}`);
    assert(Math.abs(normed * of('gain') + of('bias') - out) <= half, `${what}: ${normed} × ${of('gain')} = ${out}`);
  },
  async 'sum-why'(page, { tensor, at }, what) {
    const [after] = await trace(page, at, [tensor]);
    const numbers = numbersOf(page);
    assertShort(numbers.after, length(after), what);
    assertShort(page.all('h2')[0].slice(4, -1), length(after), what);
    assert(numbers.before && numbers.added, what);
  },
  async 'logit-why'(page, _, what) {
    const { result, modelInfo } = page;
    const { data, shape } = result().tensors.get('logits');
    const at = Math.min(page.state().cursor.row, shape[1] - 1);
    const row = data.subarray(at * shape[2], (at + 1) * shape[2]);
    const best = row.indexOf(Math.max(...row));
    const p = gf.softmax({ data: row.slice(), shape: [1, shape[2]] }).data;
    assertPrinted(numbersOf(page).logit, row[best], what);
    assert.equal(page.all('.why-rivals .here span')[0], numbersOf(page).logit, what);
    const word = modelInfo.outputVocabulary[best];
    if (word) assert(page.all('.why-line')[0].includes(word.replace(/^␣/, '')), what);
    assert(
      Math.abs(Number.parseFloat(page.all('h2')[0].slice(4)) - 100 * p[best]) <= 0.51 || /[<>]/.test(page.all('h2')[0]),
      what,
    );
  },
};
