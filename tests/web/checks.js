// Compares a view with the module's own answer, for a page of any engine: the page needs only `evaluate`.
import assert from 'node:assert/strict';
import { assertShown } from './in-node.js';
import { active, strongest } from './corpus.js';
import { formatShare } from '../../web/draw/numbers.js';

/**
 * @typedef {{evaluate: (deed: (argument: any) => any, argument?: any) => Promise<any>}} Page
 * @typedef {{model: import('glassformer').Model, at: (name: string, ...index: number[]) => number}} Own the model in
 *   Node, after its pass
 */

/** A shown number. @param {string | null | undefined} text */
export const numberOf = (text) =>
  text === '−∞' ? -Infinity : text ? Number(text.replace('−', '-').replace(/ ?%$/, '')) : NaN;

/** The texts of all elements. @param {Page} page @param {string} selector @returns {Promise<string[]>} */
export const texts = (page, selector) =>
  page.evaluate((all) => [...document.querySelectorAll(all)].map((each) => each.textContent?.trim() ?? ''), selector);

/** The texts of a table's cells. @param {Page} page @param {string} rows @returns {Promise<string[][]>} */
export const cells = (page, rows) =>
  page.evaluate(
    (all) =>
      [...document.querySelectorAll(all)].map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? '')),
    rows,
  );

/** Each of these against its own. @param {number[]} shown @param {number[]} computed @param {string} what */
export function allShown(shown, computed, what) {
  assert.equal(shown.length, computed.length, what);
  shown.forEach((each, i) => assertShown(each, computed[i], `${what} ${i}`));
}

/**
 * A number of two significant digits, in per cent if it says so, against the computed one.
 * @param {string} text @param {number} computed @param {string} [message]
 */
export function assertShort(text, computed, message = '') {
  const value = text.endsWith('%') ? 100 * computed : computed;
  const what = `${message} shown ${text}, computed ${value}`;
  if (value === -Infinity) return assert.equal(text, '−∞', what);
  if (text.startsWith('>99')) return assert(value >= 99.5 && value < 100, what);
  if (text.startsWith('<0.01')) return assert(value > 0 && value < 0.01, what);
  if (text === '≈ 0') return assert(value && Math.abs(value) < 1e-4, what);
  const half = value ? 0.5 * 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1) : 0;
  assert(
    Math.abs(numberOf(text.replaceAll(',', '')) - value) <= half + 2e-6 * Math.max(1, 100 * Math.abs(value)),
    what,
  );
}

/**
 * A number of an equation, whose last printed place may be moved so that the equation holds: by less than one, or by
 * half a per cent where a factor multiplies what rounding took from the operand.
 * @param {string} text @param {number} computed @param {string} [message]
 */
export function assertPrinted(text, computed, message = '') {
  if (!text.includes('.') || !Number.isFinite(computed)) return assertShort(text, computed, message);
  const unit = 10 ** -(text.length - text.indexOf('.') - 1);
  const miss = Math.abs(numberOf(text.replaceAll(',', '')) - computed);
  assert(miss < Math.max(unit, 5e-3 * Math.abs(computed)), `${message} shown ${text}, computed ${computed}`);
}

/**
 * The panel Why: title, the four rows and what is said beside them.
 * @param {Page} page
 * @param {(name: string, ...index: number[]) => number} own of this head
 * @param {{row: number, key: number, keys: number, size: number, share: number, scale: number}} place share: of the
 *   head
 */
async function checkWhy(page, own, { row, key, keys, size, share, scale }) {
  const weight = own('weights', row, key);
  const masked = Array.from({ length: keys }, (_, s) => own('masked', row, s));
  const [title] = await texts(page, '#computation-title');
  assertShort(title.replace(/^Why |\?$/g, ''), weight, 'title');
  const shown = await texts(page, '#computation .why-number');
  const numbers = [own('scores', row, key), masked[key], weight, share];
  assert.equal(shown.length, numbers.length);
  shown.forEach((text, step) => (step < 2 ? assertPrinted : assertShort)(text, numbers[step], `row ${step + 1}`));
  assertQuotient(shown, scale);

  const terms = Array.from({ length: size }, (_, d) => [own('query', row, d), own('key', key, d)]);
  const largest = terms.toSorted((a, b) => Math.abs(b[0] * b[1]) - Math.abs(a[0] * a[1]))[0];
  const factors = await texts(page, '#computation .products .why-result p span');
  factors.forEach((text, i) => assertPrinted(text, largest[i], 'largest term'));
  assert.equal(factors.length, 2);

  const rivals = [...masked.keys()]
    .filter((s) => s !== key && masked[s] > -Infinity)
    .sort((a, b) => masked[b] - masked[a])
    .slice(0, 2);
  const lines = await page.evaluate(() =>
    [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#computation .why-rivals li'))].map(
      (line) => ({ key: line.dataset.key, texts: [...line.querySelectorAll('span')].map((each) => each.textContent) }),
    ),
  );
  const listed = [key, ...rivals];
  listed.forEach((s, i) => {
    assert.equal(lines[i].key, String(s));
    assertPrinted(lines[i].texts[0] ?? '', masked[s], `score of ${s}`);
    assertShort(lines[i].texts[1], own('weights', row, s), `weight of ${s}`);
  });
  const rest = [...masked.keys()].filter((s) => !listed.includes(s) && masked[s] > -Infinity).length; // in sight
  assert.equal(lines.length, listed.length + (rest ? 1 : 0));
  if (rest) {
    assert.equal(parseInt(lines[listed.length].texts[0]), rest);
    const sum = masked.reduce((so, _, s) => so + (listed.includes(s) ? 0 : own('weights', row, s)), 0);
    const [, text] = lines[listed.length].texts;
    assertShort(text, sum, 'the others');
  }
  const [note] = await texts(page, '#computation .softmax .why-result p');
  if (masked[key] === -Infinity || !rivals.length) return assert.equal(note, '');
  const [, times, way, lead] = /^(\S+(?: 0)?) times .*it (leads|trails) by (.*)$/s.exec(note) ?? [];
  assertShort(times, weight / own('weights', row, rivals[0]), note);
  assert.equal(way, masked[key] < masked[rivals[0]] ? 'trails' : 'leads');
  assertPrinted(lead, Math.abs(masked[key] - masked[rivals[0]]), note);
  const [mine, other] = lines.map((line) => numberOf((line.texts[0] ?? '').replaceAll(',', '')));
  assert(Math.abs(Math.abs(mine - other) - Number(lead)) < 1e-9, `${mine} and ${other} differ by ${lead}`);
  assertShort(times, Math.exp(mine - other), `e to ${lead}`);
}

/** The printed score, divided, is the printed scaled one. @param {string[]} numbers @param {number} scale */
function assertQuotient([score, scaled], scale) {
  if (scaled === '−∞') return;
  const places = scaled.split('.')[1]?.length ?? 0;
  assert.equal(score.split('.')[1]?.length ?? 0, places, `${score} ÷ ${scale} = ${scaled}: as many decimals`);
  const [a, b] = [score, scaled].map((text) => numberOf(text.replaceAll(',', '')));
  assert(Math.abs(a / scale - b) <= 0.5001 * 10 ** -places, `${score} ÷ ${scale} = ${scaled}`);
}

/**
 * The panel Why, each number of it.
 * @param {Page} page
 * @param {Own} own
 * @param {{prefix: string, head: number, row: number, key: number, scale?: number}} place scale: what the score is
 *   divided by, if not √d_k
 */
export async function checkStory(page, { model, at }, { prefix, head, row, key, scale }) {
  const [, heads, , size] = model.tensor(`${prefix}.query`).shape;
  const [, , , keys] = model.tensor(`${prefix}.scores`).shape;
  const own = (/** @type {string} */ name, /** @type {number[]} */ ...index) =>
    at(`${prefix}.${name}`, 0, head, ...index);
  const score = own('scores', row, key);
  assert(Math.abs(own('scaled', row, key) - score / (scale ?? Math.sqrt(size))) < 1e-5 * Math.max(1, Math.abs(score)));
  const norms = headNorms(model, at, prefix, row);
  assert.equal(norms.length, heads);
  const share = norms[head] / norms.reduce((a, b) => a + b);
  await checkWhy(page, own, { row, key, keys, size, share, scale: scale ?? Math.sqrt(size) });
}

/**
 * The length of what each head adds at a row, in double precision from the matrix itself.
 * @param {Own['model']} model @param {Own['at']} at @param {string} prefix @param {number} row
 */
export function headNorms(model, at, prefix, row) {
  const [, heads, , size] = model.tensor(`${prefix}.query`).shape;
  const d_model = heads * size;
  const matrix = model.tensor(`${prefix}.out_proj.weight`).data;
  const bias = model.tensor(`${prefix}.out_proj.bias`).data;
  const parts = Array.from({ length: heads }, (_, h) => {
    const output = Array.from({ length: size }, (__, d) => at(`${prefix}.head_outputs`, 0, h, row, d));
    return Array.from({ length: d_model }, (__, c) =>
      output.reduce((sum, z, d) => sum + matrix[c * d_model + h * size + d] * z, 0),
    );
  });
  for (let c = 0; c < d_model; c++)
    assert(
      Math.abs(at(`${prefix}.out`, 0, row, c) - bias[c] - parts.reduce((so, part) => so + part[c], 0)) < 1e-4,
      'the heads and the bias make the output',
    );
  return parts.map((part) => Math.hypot(...part));
}

/**
 * The answers before and after a change.
 * @param {Page} page
 * @param {Float32Array} before probabilities, of all tokens
 * @param {Float32Array} after
 * @param {number} row
 * @param {string[]} words
 */
export async function checkAnswers(page, before, after, row, words) {
  const [one, two] = [before, after].map((data) => data.subarray(row * words.length, (row + 1) * words.length));
  const shown = (await texts(page, '.try-answers li')).map((each) => /^(\S+)\s+(.*)$/s.exec(each.trim()) ?? []);
  const most = [...words.keys()].sort((a, b) => Math.max(one[b], two[b]) - Math.max(one[a], two[a])).slice(0, 4);
  assert.deepEqual(
    shown.map(([, word]) => word),
    most.sort((a, b) => two[b] - two[a]).map((id) => words[id]),
  );
  for (const [, word, way] of shown) {
    const id = words.indexOf(word);
    assert.equal(
      way.replace(/\s+/g, ' '),
      `${formatShare(one[id])} → ${formatShare(two[id])}`.replace(/\s+/g, ' '),
      word,
    );
  }
  const nats = one.reduce((sum, p, i) => sum + (p ? p * Math.log(p / two[i]) : 0), 0);
  const [announced] = await texts(page, '.effect-nats');
  assert(Math.abs(numberOf(announced) - nats) < 1e-3, `${announced} nats, computed ${nats}`);
}

/**
 * A model's output words by a neuron's value, as its own gain and table give them.
 * @param {Awaited<ReturnType<typeof import('glassformer').load>>} gf @param {Pick<Own, 'model'>} own
 * @param {{stack: string, layer: number, neuron: number, gain: string, table: string}} place
 */
export function saidBy(gf, { model }, { stack, layer, neuron, gain: gainName, table: tableName }) {
  const [w2, gain, table] = [`${stack}.layers.${layer}.linear2.weight`, gainName, tableName].map((name) =>
    model.tensor(name),
  );
  const [channels, width] = w2.shape;
  const vector = Float32Array.from({ length: channels }, (_, c) => w2.data[c * width + neuron]);
  const { data } = gf.matmul({ data: vector.map((each, c) => each * gain.data[c]), shape: [1, channels] }, table, {
    transposeB: true,
  });
  return {
    words: [...data].map((each, id) => ({ id, value: each })).sort((a, b) => b.value - a.value),
    norm: Math.hypot(...vector),
  };
}

/**
 * Checks the words that a neuron promotes and suppresses, as its card shows them.
 * @param {Page} page
 * @param {ReturnType<typeof saidBy>['words']} words
 * @param {string[]} vocabulary
 */
export async function checkWords(page, words, vocabulary) {
  const listed = [...words.slice(0, 5), ...words.slice(-5).reverse()]; // promoted, suppressed
  assert.deepEqual(
    await texts(page, '.neuron-words li bdi'),
    listed.map(({ id }) => vocabulary[id]),
  );
  allShown(
    (await texts(page, '.neuron-words .number')).map(numberOf),
    listed.map(({ value }) => value),
    'words',
  );
}

/**
 * Checks the tokens that excite a neuron, as its card shows them.
 * @param {Page} page
 * @param {ReturnType<ReturnType<typeof import('./corpus.js').shipped>['read']>} rows
 * @param {number} neuron
 */
export async function checkKey(page, rows, neuron) {
  const top = strongest(rows, neuron);
  allShown(
    (await texts(page, '.neuron-key li .number')).map(numberOf),
    top.map(({ values }) => values[neuron]),
    'excited',
  );
  assert.deepEqual(
    await texts(page, '.neuron-key mark'),
    top.map(({ words, at }) => words[at]),
  );
  const [first] = await texts(page, '.neuron-key li bdi');
  const { words, at } = top[0];
  assert(first.replace(/\s+/g, ' ').includes(words.slice(Math.max(0, at - 2), at + 1).join(' ')), `${first}: ${words}`);
  assert.deepEqual(await texts(page, '#neuron [data-number=active]'), [formatShare(active(rows)[neuron])]);
}
