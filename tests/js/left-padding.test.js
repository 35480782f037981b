// A text behind padding is the same text: what is computed of it, in every layer, is what it has alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, writeSafetensors } from 'glassformer';
import { random } from './reference.js';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const TOLERANCE = 2e-6;
const LENGTHS = [9, 2, 7, 1];
const LONGEST = 9;

/** An OPT of random numbers, whose rows of positions that no token has are far off. */
async function openOpt() {
  const r = random(7);
  const C = 8;
  const at = 'model.decoder.';
  /** @type {Record<string, any>} */
  const tensors = {
    [`${at}embed_tokens.weight`]: r.tensor([84, C]),
    [`${at}embed_positions.weight`]: r.tensor([34, C]),
  };
  tensors[`${at}embed_positions.weight`].data.fill(1000, 0, 2 * C);
  for (let i = 0; i < 2; i++) {
    const layer = `${at}layers.${i}.`;
    /** @type {[string, number[]][]} */
    const maps = ['q', 'k', 'v', 'out'].map((name) => [`self_attn.${name}_proj`, [C, C]]);
    maps.push(['self_attn_layer_norm', [C]], ['final_layer_norm', [C]], ['fc1', [32, C]], ['fc2', [C, 32]]);
    for (const [name, shape] of maps) {
      tensors[`${layer}${name}.weight`] = r.tensor(shape);
      tensors[`${layer}${name}.bias`] = r.tensor([shape[0]]);
    }
  }
  tensors[`${at}final_layer_norm.weight`] = r.tensor([C]);
  tensors[`${at}final_layer_norm.bias`] = r.tensor([C]);
  const config = {
    model_type: 'opt',
    architectures: ['OPTForCausalLM'],
    hidden_size: C,
    num_attention_heads: 2,
    num_hidden_layers: 2,
    ffn_dim: 32,
    max_position_embeddings: 32,
    vocab_size: 84,
    word_embed_proj_dim: C,
  };
  return (await gf.loadModel({ config, weights: writeSafetensors(tensors) })).model;
}

const NAMES = ['bert-2l', 'distilbert-2l', 'bert-classes', 'gpt2-2l', 'gpt2-bare-bf16', 'gpt-neo-4l'];
const families = await Promise.all(
  NAMES.map(async (name) => [name, (await gf.loadModel(new URL(`${name}/`, folder))).model]),
);
const OWN = { vocabulary: 84, d_model: 16, heads: 2, d_ff: 24, layers: 2, seed: 3, maxLength: 16, head: 'linear' };
/** @type {[string, any][]} */
const MODELS = [
  ...families,
  ['opt', await openOpt()],
  ['as a RoBERTa', families[0][1].clone({ positionsFrom: 'visible' })],
  ...['encoder', 'decoder'].flatMap((kind) =>
    ['none', 'sinusoidal', 'learned'].flatMap((positions) =>
      ['first', 'visible'].map((positionsFrom) => [
        `${kind}, ${positions}, ${positionsFrom}`,
        gf.createModel({ ...OWN, kind, positions, positionsFrom }),
      ]),
    ),
  ),
];

const idsOf = (/** @type {number} */ length) => Array.from({ length }, (_, i) => (7 * i + 3) % 80);
const typed = (/** @type {any} */ model, /** @type {number[][]} */ ids) =>
  model.config.types ? { typeIds: ids.map((row) => row.map((_, i) => i % 2)) } : {};

/** Of a tensor the part of one sequence, without the first tokens. */
function partOf({ data, shape }, { role }, /** @type {number} */ batch, /** @type {number} */ hidden) {
  const isMap = /^(scores|scaled|masked|weights)$/.test(role);
  const time = shape.length === 4 ? 2 : 1;
  const part = [];
  const size = data.length / shape[0];
  const inner = shape.slice(time + 1).reduce((a, b) => a * b, 1);
  for (let i = 0; i < size; i++) {
    if (Math.floor(i / inner) % shape[time] < hidden || (isMap && i % inner < hidden)) continue;
    part.push(data[batch * size + i]);
  }
  return part;
}

for (const [name, model] of MODELS) {
  test(`${name}: left-padded is unpadded, in every layer`, () => {
    const rows = LENGTHS.map(idsOf);
    const ids = rows.map((row) => [...Array(LONGEST - row.length).fill(1), ...row]);
    const padding = rows.map((row) => Array.from({ length: LONGEST }, (_, i) => Number(i < LONGEST - row.length)));
    const types = model.config.types
      ? { typeIds: rows.map((row) => [...Array(LONGEST - row.length).fill(0), ...row.map((_, i) => i % 2)]) }
      : {};
    model.forward({ ids, padding, ...types, capture: true });
    const facts = model
      .tensors()
      .filter(({ region, role }) => /^(result|intermediate)$/.test(region) && role !== 'encoding');
    assert(facts.length > 20);
    const padded = new Map(facts.map((fact) => [fact.name, model.tensor(fact.name)]));
    rows.forEach((row, b) => {
      model.forward({ ids: [row], ...typed(model, [row]), capture: true });
      for (const fact of facts) {
        const wanted = partOf(model.tensor(fact.name), fact, 0, 0);
        const found = partOf(padded.get(fact.name), fact, b, LONGEST - row.length);
        assert.equal(found.length, wanted.length, fact.name);
        const scale = wanted.reduce((most, each) => (Number.isFinite(each) ? Math.max(most, Math.abs(each)) : most), 1);
        found.forEach((each, i) => {
          const same = Object.is(each, wanted[i]) || Math.abs(each - wanted[i]) <= TOLERANCE * scale;
          assert(same, `${fact.name}, row ${b}, ${i}: ${each} for ${wanted[i]}`);
        });
      }
    });
  });

  test(`${name}: right-padded is unpadded, to the bit, and middle padding moves who counts visible tokens`, () => {
    const row = idsOf(6);
    const width = (/** @type {any} */ tensor) => tensor.shape.at(-1);
    const pass = (/** @type {number[]} */ given, /** @type {number[]} */ padding) =>
      model.forward({ ids: [given], ...typed(model, [given]), ...(padding && { padding: [padding] }) }).output;
    const wanted = pass(row);
    const right = pass([...row, 1, 1], [0, 0, 0, 0, 0, 0, 1, 1]);
    assert.deepEqual(right.data.slice(0, 6 * width(right)), wanted.data);
    if (model.config.types || model.config.positions === 'none') return;
    const middle = pass([...row.slice(0, 3), 1, ...row.slice(3)], [0, 0, 0, 1, 0, 0, 0]);
    const last = middle.data.slice(-width(middle));
    const off = last.reduce((most, each, i) => Math.max(most, Math.abs(each - wanted.data.at(i - width(middle)))), 0);
    assert.equal(off < 1e-5, model.config.positionsFrom === 'visible', `${off}`);
  });
}

test('a left-padded text that goes on has the bits of a full pass', () => {
  for (const [name, model] of MODELS) {
    if (model.config.kind !== 'decoder') continue;
    const ids = [1, 1, 1, ...idsOf(9)];
    const padding = ids.map((_, i) => Number(i < 3 || i === 6));
    for (const length of [5, 8, 12, 7, 9]) {
      const given = { ids: ids.slice(0, length), padding: padding.slice(0, length) };
      const { output } = model.forward(given);
      const fresh = model.clone();
      assert.deepEqual(output, fresh.forward(given).output, `${name} ${length}`);
      fresh.free();
    }
  }
});

test('gradients of a left-padded text are those of the text', () => {
  for (const [name, model] of MODELS) {
    if (!/learned|opt/.test(name)) continue;
    const row = idsOf(6);
    const labels = row.map((id) => (id + 1) % 80);
    const own = model.clone();
    const gradientsOf = (/** @type {any} */ batch) => {
      const trainer = own.trainer({ ignoreIndex: -100 });
      trainer.gradients(batch);
      return own.tensor('grad.pos_emb.weight').data;
    };
    const wanted = gradientsOf({ ids: [row], labels: [labels] });
    const hidden = [1, 1, 1];
    const found = gradientsOf({
      ids: [[...hidden, ...row]],
      padding: [[...hidden, ...row.map(() => 0)]],
      labels: [[-100, -100, -100, ...labels]],
    });
    assert(wanted.some((each) => Math.abs(each) > 1e-3));
    found.forEach((each, i) => assert(Math.abs(each - wanted[i]) < 1e-6, `${name} ${i}: ${each} for ${wanted[i]}`));
    own.free();
  }
});

test('what a family counts', () => {
  const counts = Object.fromEntries(MODELS.slice(0, 7).map(([name, { config }]) => [name, config.positionsFrom]));
  const first = Object.fromEntries(NAMES.map((name) => [name, 'first']));
  assert.deepEqual(counts, { ...first, opt: 'visible' });
  assert.equal(gf.createModel({}).config.positionsFrom, 'index');
});
