// Today's blocks as they are: RMSNorm, rotary positions, gated networks, shared keys and values, norms of queries and
// keys. Each number is the module's own, and each sum that is shown holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameAt, lastOf, positionAt } from '../../../../web/draw/player.js';
import { allShown, assertPrinted, assertShort, numberOf } from '../../checks.js';
import { gf, open, openFolder } from '../table.js';
import { OWN, STATES } from '../today.js';

Object.assign(globalThis, { cancelAnimationFrame: () => {} });
const { features } = await import('../../../../web/explore/index.js');
const turned = await import('../../../../web/explore/shared/turned.js');
const { changeSettings, defaultState, writeLink, readLink } = await import('../../../../web/app/schema.js');

await openFolder(OWN);
const FOLDER = new URL(`../../../checkpoints/${OWN}/`, import.meta.url);
/** @param {string} name */
const feature = async (name) => {
  const row = /** @type {any} */ (features.find((each) => each.name === name));
  return 'load' in row ? row.load() : row;
};

// The rows before the product are fetched with the first model that has them.
const first = await open(await feature('computation'), STATES[0]);
while (!first.root.querySelector('.turns-dial')) await first.show();

/** @typedef {Awaited<ReturnType<typeof open>>} Page */
/** @param {Page} page @param {string} name */
const tensor = (page, name) => /** @type {any} */ (page.result().tensors.get(name) ?? assert.fail(name));
/** @param {Page} page */
const selected = (page) => {
  const { selection, cursor } = page.state();
  const { kind, layer, head } = selection;
  const stack = kind === 'encoder' ? 'encoder' : 'decoder';
  const prefix = `${stack}.layers.${layer}.${kind === 'cross' ? 'multihead_attn' : 'self_attn'}`;
  return { ...cursor, layer, head, stack, prefix, settings: page.result().plan.settings };
};

/** A head's row of a tensor [1,heads,rows,width]. @param {any} tensor @param {number} head @param {number} row */
const rowOf = ({ data, shape: [, , rows, width] }, head, row) =>
  data.slice((head * rows + row) * width, (head * rows + row + 1) * width);

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const dot = (a, b) => Array.from(a).reduce((sum, value, i) => sum + value * b[i], 0);
/** @param {number} a @param {number} b @param {string} what */
const near = (a, b, what) => assert(Math.abs(a - b) <= 2e-5 * Math.max(1, Math.abs(b)), `${what}: ${a}, ${b}`);

test('Why: the score is the product of what is shown as query and key, with the keys of the head’s group', async () => {
  const computation = await feature('computation');
  for (const link of STATES) {
    const page = await open(computation, link);
    await page.show(); // with the rows that are fetched
    const { prefix, head, row, key, settings } = selected(page);
    const shared = settings.heads / settings.keyValueHeads;
    const isTurned = !link.includes('attention=cross');
    const last = isTurned ? '_rotated' : settings.qkNorm ? '_normed' : '';
    const [query, keys] = [
      rowOf(tensor(page, `${prefix}.query${last}`), head, row),
      rowOf(tensor(page, `${prefix}.key${last}`), Math.floor(head / shared), key),
    ];
    const share = page.result().derived.get(`@head-share/${prefix}/${head}/${row}`);
    near(dot(query, keys), share.scores[key], link);
    near(share.scores[key] / Math.sqrt(query.length), share.scaled[key], link);
    const numbers = page.all('#computation .why-number').slice(isTurned ? 1 : 0); // the angle is checked below
    assertPrinted(numbers[0], share.scores[key], link);
    assertPrinted(numbers[1], share.masked[key], link);
    assertShort(numbers[2], share.weights[key], link);
    const total = share.norms.reduce((/** @type {number} */ sum, /** @type {number} */ each) => sum + each, 0);
    assertShort(numbers[3], share.norms[head] / total, link);
    const first = head - (head % shared) + 1;
    assert.match(page.all('.why-line')[0], new RegExp(`Heads ${first} and ${first + 1} share these keys and values`));
    const output = rowOf(tensor(page, `${prefix}.value`), Math.floor(head / shared), 0);
    assert.equal(output.length, query.length);
    const label = isTurned ? 'query, turned' : settings.qkNorm ? 'query, normed' : 'query of';
    assert(page.all('.products .why-label')[0].startsWith(label), link);
  }
});

test('Why: a head’s output is the sum of its group’s values by its weights', async () => {
  const page = await open(await feature('computation'), STATES[0]);
  const { prefix, head, row } = selected(page);
  const { weights, output } = page.result().derived.get(`@head-share/${prefix}/${head}/${row}`);
  const values = tensor(page, `${prefix}.value`);
  for (let d = 0; d < output.length; d++) {
    let sum = 0;
    for (const [at, weight] of weights.entries()) sum += weight * rowOf(values, Math.floor(head / 2), at)[d];
    near(sum, output[d], `dimension ${d}`);
  }
});

test('the rotation: pairs turn by position × θ^(−2i/D), the angle between them by the distance alone', async () => {
  const computation = await feature('computation');
  for (const link of STATES.filter((each) => !each.includes('attention=cross'))) {
    const page = await open(computation, link);
    await page.show();
    const { prefix, head, row, key, settings } = selected(page);
    const { turns } = page.result().derived.get('@turns');
    const { ropeTheta = 10000 } = page.result().plan.config;
    const before = settings.qkNorm ? '_normed' : '';
    const group = Math.floor(head / (settings.heads / settings.keyValueHeads));
    const at = (/** @type {number} */ q, /** @type {number} */ k) => {
      const stage = (/** @type {string} */ name) => ({
        name,
        query: rowOf(tensor(page, `${prefix}.query${name}`), head, q),
        key: rowOf(tensor(page, `${prefix}.key${name}`), group, k),
      });
      return { stages: [stage(before), stage('_rotated')], row: q, column: k };
    };
    const data = /** @type {any} */ (at(row, key));
    const pairs = turned.pairsOf(data, turns);
    const [was, now] = data.stages;
    const half = turns.length;
    assert.equal(2 * half, was.query.length);
    let score = 0;
    for (const [i, pair] of pairs.entries()) {
      near(turns[i], Number(ropeTheta) ** (-i / half), `${link}, pair ${i}`);
      const around = (pair.after - pair.before - (row - key) * turns[i]) / (2 * Math.PI);
      near(around, Math.round(around), `${link}, pair ${i}: turned by the distance`);
      const length = (/** @type {any} */ x) => Math.hypot(x[i], x[i + half]);
      near(length(now.query), length(was.query), 'turning keeps lengths');
      score += length(now.query) * length(now.key) * Math.cos(pair.after);
      // The picture turns the hands of before: they end where the module's vectors are.
      const { angle, turned: by } = pair.query;
      near(Math.cos(angle + by) * length(was.query), now.query[i], `${link}, hand ${i}`);
      near(Math.sin(angle + by) * length(was.query), now.query[i + half], `${link}, hand ${i}`);
    }
    near(score, page.result().derived.get(`@head-share/${prefix}/${head}/${row}`).scores[key], link);
    // The same distance elsewhere: other vectors, the same turn.
    const next = /** @type {any} */ (at(row + 1, key + 1));
    for (const [i, pair] of turned.pairsOf(next, turns).entries()) {
      const around = (pair.after - pair.before - (pairs[i].after - pairs[i].before)) / (2 * Math.PI);
      near(around, Math.round(around), `${link}, pair ${i}: at any position`);
    }
    const degrees = (/** @type {string} */ text) => text.replace('°', '');
    const [pair] = pairs;
    const text = page.all('.turns-line')[0];
    const [each, sum] = [/turns (\S+)° a position/, /Only the distance counts: \S+ × \S+° = (\S+)°/].map(
      (pattern) => pattern.exec(text)?.[1] ?? '',
    );
    assertPrinted(each, (pair.turn * 180) / Math.PI, link);
    const last = 0.5001 * 10 ** -(sum.split('.')[1]?.length ?? 0);
    assert(Math.abs((row - key) * numberOf(each) - numberOf(sum)) <= last, `${row - key} × ${each} = ${sum}`);
    assertPrinted(sum, ((row - key) * pair.turn * 180) / Math.PI, link);
    assert(text.includes(`${row} times`) || row === 1, text);
    assertShort(degrees(page.all('.turns .why-number')[0]), (pair.after * 180) / Math.PI, link);
    assert.equal(page.root.querySelectorAll('.turns-dial').length, half);
  }
});

test('the rotation follows the dimension that is pointed at, and the other way round', async () => {
  const page = await open(await feature('computation'), STATES[0]);
  await page.show();
  await page.press('.products [role=slider]', 'End'); // dimension 15 of 16: pair 7
  assert.match(page.all('.turns-line')[0], /^Pair 7 /);
  const [dial] = page.root.querySelectorAll('[data-pair="3"]');
  dial.dispatchEvent(new /** @type {any} */ (document.defaultView).Event('pointermove', { bubbles: true }));
  await page.show();
  assert.match(page.all('.turns-line')[0], /^Pair 3 /);
  assert.match(page.all('.products .why-result p')[0], /^dimension 3: /);
});

test('norms of queries and keys: what each is divided by, and the normed numbers', async () => {
  const page = await open(await feature('computation'), `model=${OWN}&head=1.2&row=4&key=2`);
  await page.show();
  const { prefix } = selected(page);
  const epsilon = Number(page.result().plan.config.epsilon);
  const [note] = page.all('.normed .why-result p');
  const shown = note.match(/÷ (\S+?),/g)?.map((each) => each.slice(2, -1)) ?? [];
  for (const [i, [what, gain, head, row]] of /** @type {const} */ ([
    ['query', 'q', 1, 4],
    ['key', 'k', 0, 2],
  ]).entries()) {
    const raw = rowOf(tensor(page, `${prefix}.${what}`), head, row);
    const rms = turned.rootMeanSquare(raw, epsilon);
    const { data } = tensor(page, `${prefix}.${gain}_norm.weight`);
    const normed = rowOf(tensor(page, `${prefix}.${what}_normed`), head, row);
    for (const [d, value] of normed.entries()) near((raw[d] / rms) * data[d], value, `${what} ${d}`);
    assertShort(shown[i], rms, what);
  }
});

test('played: a second for each row, the rows before the products part by part', () => {
  const all = [1, 8, 16, 1, 1, 1];
  assert.equal(lastOf(all), 28);
  assert.deepEqual(
    [0, 999, 1000, 1500, 1999, 2000, 2999, 3000, 4000, 5000, 6000].map((ms) => positionAt(all, ms)),
    [1, 1, 2, 6, 9, 10, 25, 26, 27, 28, 28],
  );
  const rows = Array.from({ length: 28 }, (_, i) => frameAt(all, i + 1));
  assert.deepEqual(
    [0, 1, 4, 8, 9, 24, 25, 27].map((i) => [rows[i].row, rows[i].part]),
    [
      [0, 1],
      [1, 1],
      [1, 4],
      [1, 8],
      [2, 1],
      [2, 16],
      [3, 1],
      [5, 1],
    ],
  );
});

test('the norm: mean square alone, no mean, no bias; every number follows', async () => {
  const norms = await feature('layer-norm');
  for (const [link, need, title] of [
    [`${STATES[0]}&sublayer=1`, '@norm/decoder/0/1', 'Layer 1, before attention'],
    [`model=${OWN}&head=2.1&row=3&sublayer=2`, '@norm/decoder/1/2', 'Layer 2, before FFN'],
    [`model=${OWN}&head=2.1&row=3&sublayer=0`, '@norm/decoder/1/0', 'Final RMSNorm'],
  ]) {
    const page = await open(norms, link);
    assert.deepEqual(page.all('h2'), ['RMSNorm']);
    assert.equal(page.all('select option:checked')[0], title);
    const norm = page.result().derived.get(need);
    assert.deepEqual([norm.mean, norm.variance, norm.bias], [null, null, null]);
    const { before, after, meanSquare, weight, epsilon, width } = norm;
    const row = Number(page.root.querySelector('tr.here')?.getAttribute('data-row'));
    const x = before.subarray(row * width, (row + 1) * width);
    near(dot(x, x) / width, meanSquare[row], link);
    near((x[0] / Math.sqrt(meanSquare[row] + epsilon)) * weight[0], after[row * width], link);
    assert.deepEqual(page.all('.moments thead th'), ['token', 'mean square']);
    allShown(page.all('.moments td').map(numberOf), [...meanSquare], link);
    assert.match(page.text(), /It subtracts no mean and adds no bias/);
    assert.doesNotMatch(page.all('.formula')[0], /[μσβ]/);
  }
  assert.match((await open(norms, `${STATES[0]}&norm=none`)).text(), /No RMSNorm to show/);
});

test('the FFN’s map: gate, up, the opened gate and their product; of a plain network two of them', async () => {
  const ffn = await feature('ffn');
  for (const link of [STATES[0], `model=${OWN}&head=2.1`]) {
    const page = await open(ffn, `${link}&ffn=pre_activation`);
    const { stack, layer, settings } = selected(page);
    assert.deepEqual(
      [...page.root.querySelectorAll('.quantity option')].map(({ textContent }) => textContent?.trim()),
      ['Gate', 'Up', 'SiLU(gate)', 'SiLU(gate) × up'],
    );
    /** @type {Record<string, Float32Array>} */
    const parts = {};
    for (const name of ['pre_activation', 'up', 'activation', 'product']) {
      await page.choose('select.quantity', name);
      assert.equal(page.state().ffnQuantity, name);
      parts[name] = tensor(page, `${stack}.layers.${layer}.ffn.${name}`).data;
    }
    for (let i = 0; i < parts.product.length; i += 7) {
      near(parts.activation[i] * parts.up[i], parts.product[i], 'product');
      near(parts.pre_activation[i] / (1 + Math.exp(-parts.pre_activation[i])), parts.activation[i], 'SiLU');
    }
    assert.match(page.text(), /two linear maps make a gate and an “up”/i);
    assert.equal(settings.ffn, 'gated');
  }
  const plain = await open(ffn, 'model=creek&ffn=product'); // as a link may say of a model that has none
  assert.match(plain.root.querySelector('[role=application]')?.ariaLabel ?? '', /activations/);
  assert.equal(plain.root.querySelectorAll('.quantity option').length, 2);
});

test('a neuron: gate × up, the strongest by size, the word that its sign promotes', async () => {
  const neuron = await feature('neuron');
  const page = await open(neuron, `layout=page&model=${OWN}&head=2.1&row=3`);
  await page.see();
  const at = (/** @type {string} */ name) => {
    const { data, shape } = tensor(page, `decoder.layers.1.ffn.${name}`);
    return data.subarray(3 * shape[2], 4 * shape[2]);
  };
  const product = at('product');
  const strongest = [...product.keys()].sort((a, b) => Math.abs(product[b]) - Math.abs(product[a])).slice(0, 8);
  assert.deepEqual(
    page.all('.neuron-strongest button').map((each) => Number(each.split(' ')[1])),
    strongest,
  );
  assert(
    strongest.some((n) => product[n] < 0),
    'the case has both signs',
  );
  allShown(
    page.all('.neuron-strongest .number').map(numberOf),
    strongest.map((n) => product[n]),
    'strongest',
  );
  const { words } = page.result().derived.get('@neurons/decoder/1');
  const width = words.shape[1];
  assert.deepEqual(
    page.all('.neuron-says bdi'),
    strongest.map((n) => {
      const values = words.data
        .subarray(n * width, (n + 1) * width)
        .map((/** @type {number} */ each) => each * Math.sign(product[n]));
      return page.modelInfo.outputVocabulary[values.indexOf(Math.max(...values))];
    }),
  );
  assert.match(page.text(), /RMSNorm’s gain and the output table, without the norm’s division/);
});

test('a neuron that is set is the product of gate and up', async () => {
  const effect = await feature('ffn');
  const change = { what: 'neuron', kind: 'decoder', layer: 0, neuron: 3, to: 1.5 };
  const page = await open(effect, `model=${OWN}&ffn=product&changes=${encodeURIComponent(JSON.stringify([change]))}`);
  const { data, shape } = tensor(page, 'decoder.layers.0.ffn.product');
  for (let row = 0; row < shape[1]; row++) assert.equal(data[row * shape[2] + 3], 1.5);
});

test('a head that is off: its own alone, though its keys and values are others’, too', async () => {
  const change = { what: 'head', kind: 'decoder', layer: 0, head: 1, to: 0 };
  const link = `model=${OWN}&changes=${encodeURIComponent(JSON.stringify([change]))}`;
  const page = await open(await feature('logits'), link);
  const { model } = await gf.loadModel(FOLDER);
  const ids = page.result().plan.ids;
  const { data } = model.forward({ ids, ablate: [{ layer: 0, head: 1 }] }).logits;
  assert.deepEqual(tensor(page, 'logits').data, data);
  const tried = await open(await feature('try'), link);
  assert.match(tried.text(), /Decoder layer 1, head 2: off/);
});

test('the line of nodes: RMSNorm, rotary at query and key, gate × up; no positions are added', async () => {
  const graph = await feature('model-graph');
  for (const link of [STATES[0], `model=${OWN}`]) {
    const page = await open(graph, link);
    const terms = [...page.root.querySelectorAll('[data-term]')].map((each) => each.getAttribute('data-term'));
    assert(!terms.includes('+ Positions'));
    assert.deepEqual(terms.filter((each) => each === 'RMSNorm').length, 4, 'two of each layer');
    assert.deepEqual(terms.filter((each) => each === 'Gated FFN').length, 2);
    assert.equal(page.text().match(/gate × up/g)?.length, 2);
    assert.equal(page.text().match(/rotary q k/g)?.length, 2);
    const [group] = page.root.querySelectorAll('[role=radiogroup]');
    assert.equal(
      group.ariaLabel ?? group.getAttribute('aria-label'),
      'Decoder self-attention, layer 1, rotary, keys and values shared by 2 heads',
    );
    assert.equal(group.querySelectorAll('.ends').length, 2);
  }
  const creek = await open(graph, 'model=creek');
  assert.doesNotMatch(creek.text(), /rotary|RMSNorm|gate/);
  assert.equal(creek.root.querySelectorAll('.ends').length, 0);
});

test('settings: state, address and file carry the block; a choice that cannot be is named', async () => {
  const page = await open(await feature('controls'), STATES[1]);
  const { settings } = page.state();
  assert.deepEqual(
    [settings.normKind, settings.positions, settings.ffn, settings.keyValueHeads, settings.headWidth, settings.qkNorm],
    ['rms', 'rotary', 'gated', 2, 6, true],
  );
  const link = writeLink(page.state(), defaultState());
  assert.deepEqual(readLink(link, defaultState()).state.settings, settings);
  await page.type('#set-keyValueHeads', '3');
  assert.match(page.all('.error').join(), /Key-value heads must divide the 4 heads, not 3\./);
  const facts = await open(await feature('settings-facts'), STATES[1]);
  assert.equal(facts.text(), '2 layers, 4 heads (2 of keys and values), d_model 64, rotary, pre RMSNorm, gated silu');
  document.body.innerHTML = '<details id="settings-box" open></details>';
  const card = await open(await feature('model-card'), `model=${OWN}`);
  assert.match(card.text(), /Heads4, 2 of keys and values/);
  // A changed model of the reader's keeps the weights of its file.
  const own = await open(await feature('logits'), `model=${OWN}&positions=none&normKind=layer`);
  const biases = ['0.norm1', '0.norm2', '1.norm1', '1.norm2'].map((each) => `decoder.layers.${each}.bias`);
  assert.deepEqual(own.result().facts.absent.sort(), [...biases, 'decoder.norm.bias']);
  const { model } = await gf.loadModel(FOLDER);
  const other = gf.createModel({ ...model.config, positions: 'none', normKind: 'layer' });
  other.loadWeights(model.weights(), { strict: false });
  assert.deepEqual(tensor(own, 'logits').data, other.forward({ ids: own.result().plan.ids }).logits.data);
});

test('a change of the network shows what its neurons give', () => {
  const gated = changeSettings(defaultState(), { ffn: 'gated' });
  assert.equal(gated.ffnQuantity, 'product');
  const state = { ...defaultState(), .../** @type {any} */ (gated) };
  assert.equal(changeSettings(state, { ffn: 'plain' }).ffnQuantity, 'activation');
  assert.equal('ffnQuantity' in changeSettings(state, { layers: 3 }), false);
});
