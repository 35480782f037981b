// Checkpoints as they are found in the wild, and such as nobody should open: made of those in tests/checkpoints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { load, readSafetensors, writeSafetensors } from 'glassformer';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const bytesOf = (/** @type {string} */ path) => readFileSync(new URL(path, folder));
const jsonOf = (/** @type {string} */ path) => JSON.parse(String(bytesOf(path)));

/** The files of a case, parsed. @param {string} name */
const caseOf = (name) => ({
  config: jsonOf(`${name}/config.json`),
  tokenizer: jsonOf(`${name}/tokenizer.json`),
  tensors: /** @type {Map<string, any>} */ (readSafetensors(bytesOf(`${name}/model.safetensors`)).tensors),
  ids: jsonOf(`${name}/case.json`).ids,
});

/** Logits of a checkpoint. @param {any} source @param {number[]} ids @param {object} [options] */
async function run(source, ids, options) {
  const { model, notes, family } = await gf.loadModel(source, options);
  const typeIds = model.config.types ? { typeIds: ids.map(() => 0) } : {};
  const { logits, output } = model.forward({ ids, ...typeIds });
  const { config } = model;
  model.free();
  return { data: logits?.data, output: output.data, notes: notes ?? [], config, family };
}

/** Renamed tensors. @param {Map<string, any>} tensors @param {(name: string) => string} rename */
const renamed = (tensors, rename) => new Map([...tensors].map(([name, tensor]) => [rename(name), tensor]));

const NAMES = ['bert-2l', 'distilbert-2l', 'gpt2-2l', 'gpt2-bare-bf16', 'gpt-neo-4l'];
const PREFIXES = { bert: 'bert.', distilbert: 'distilbert.', gpt2: 'transformer.', gpt_neo: 'transformer.' };
const HEADS = /^(cls|vocab_|lm_head|classifier)/;

/** A model that stays open, and must not notice what is refused. */
const held = (await gf.loadModel(new URL('gpt2-2l/', folder))).model;
const HELD = { ids: [5, 80, 12, 33] };
const wanted = held.forward({ ...HELD, capture: true }).logits.data.slice();
const memory = gf.memoryBytes;
const isUntouched = () => assert.deepEqual(held.forward({ ...HELD, capture: true }).logits.data, wanted);
after(() => held.free());

for (const name of NAMES) {
  const { config, tokenizer, tensors, ids } = caseOf(name);
  const family = /** @type {keyof typeof PREFIXES} */ (config.model_type);
  const base = await run({ config, weights: bytesOf(`${name}/model.safetensors`), tokenizer }, ids);
  const same = async (/** @type {string} */ what, /** @type {any} */ source, /** @type {RegExp} */ note = /./) => {
    const { data, notes } = await run(source, ids);
    assert.deepEqual(data, base.data, what);
    assert.match(['', ...notes, ''].join('\n'), note, what);
    return notes;
  };

  test(`${name}: however its files are given`, async () => {
    const weights = bytesOf(`${name}/model.safetensors`);
    const blob = new Blob([weights]);
    await same('bytes', { config: bytesOf(`${name}/config.json`), weights: new Uint8Array(weights) }, /^/);
    await same('Blobs', { config: new Blob([JSON.stringify(config)]), weights: blob }, /^/);
    await same('Responses', { config: Response.json(config), weights: Promise.resolve(new Response(weights)) }, /^/);
    const at = (/** @type {string} */ file) => new URL(`${name}/${file}`, folder);
    await same('URLs', { config: at('config.json'), weights: at('model.safetensors').href }, /^/);
    await same('folder', new URL(`${name}/`, folder), /^/);
    await same('path', `${fileURLToPath(folder)}${name}/`, /^/);
    const path = (/** @type {string} */ file) => relative(process.cwd(), fileURLToPath(at(file)));
    await same('paths', { config: path('config.json'), weights: path('model.safetensors') }, /^/);
    const files = ['config.json', 'model.safetensors', 'tokenizer.json', 'case.json'].map(
      (file) => new File([bytesOf(`${name}/${file}`)], file),
    );
    await same('list', files, /^/);
    const entries = [...tensors];
    const halves = [entries.slice(0, 9), entries.slice(9)].map((half) => writeSafetensors(new Map(half)));
    await same('split', { config, weights: halves }, /^/);
    const shards = ['a-1.safetensors', 'a-2.safetensors'];
    const weight_map = Object.fromEntries(entries.map(([key], i) => [key, shards[Number(i >= 9)]]));
    const index = new File([JSON.stringify({ weight_map })], 'model.safetensors.index.json');
    await same(
      'index',
      [
        ...files.filter((file) => file.name !== 'model.safetensors'),
        index,
        ...halves.map((half, i) => new File([/** @type {any} */ (half)], shards[i])),
      ],
      /^/,
    );
  });

  test(`${name}: with prefix, without, with what others leave in a file`, async () => {
    const prefix = PREFIXES[family];
    const bare = renamed(tensors, (key) => key.replace(prefix, ''));
    const full = renamed(bare, (key) => (HEADS.test(key) ? key : prefix + key));
    await same('without', { config, weights: writeSafetensors(bare) }, /^/);
    await same('with', { config, weights: writeSafetensors(full) }, /^/);
    for (const wrapper of ['module.', '_orig_mod.module.']) {
      const wrapped = renamed(full, (key) => wrapper + key);
      await same(wrapper, { config, weights: writeSafetensors(wrapped) }, /^/);
      const [first] = wrapped.keys();
      wrapped.delete(first);
      await refused({ config, weights: writeSafetensors(wrapped) }, 'missing', first);
    }
    const old = renamed(full, (key) =>
      key
        .replace(/(LayerNorm|layer_norm|ln_\w+)\.weight$/, '$1.gamma')
        .replace(/(LayerNorm|layer_norm|ln_\w+)\.bias$/, '$1.beta'),
    );
    await same('gamma and beta', { config, weights: writeSafetensors(old) }, /old names gamma and beta/);
    const vector = { data: new Float32Array(3), shape: [3] };
    const left = new Map([...full, ['classifier.weight', vector], ['cls.seq_relationship.bias', vector]]);
    await same('heads', { config, weights: writeSafetensors(left) }, /left over: .*classifier\.weight/);
    const mask = { data: new Uint8Array(16), shape: [1, 1, 4, 4] };
    const attention = { gpt2: 'attn', gpt_neo: 'attn.attention' }[String(family)];
    const buffers = attention ? [`h.1.${attention}.bias`, `h.0.${attention}.masked_bias`] : ['embeddings.position_ids'];
    const masked = new Map([...full, ...buffers.map((key) => /** @type {const} */ ([prefix + key, mask]))]);
    const notes = await same('buffers', { config, weights: writeSafetensors(masked) }, /buffers/);
    assert.doesNotMatch(notes.join('\n'), /left over/);
  });

  test(`${name}: tied, untied, and in half the bytes`, async () => {
    const table =
      { bert: 'cls.predictions.decoder.weight', distilbert: 'vocab_projector.weight' }[String(family)] ??
      'lm_head.weight';
    const [, embedding] = [...tensors].find(([key]) => /(^|\.)(wte|word_embeddings)\.weight$/.test(key)) ?? [];
    const tied = new Map([...tensors, [table, embedding]]);
    await same('twice', { config, weights: writeSafetensors(tied) }, /^/);
    await same('streamed', { config, weights: new Response(/** @type {any} */ (writeSafetensors(tied))) }, /^/);
    const own = {
      ...embedding,
      data: embedding.data.map((/** @type {number} */ x, /** @type {number} */ i) => x + (i % 5) / 10),
    };
    for (const tie of [{ tie_word_embeddings: false }, {}]) {
      const source = { config: { ...config, ...tie }, weights: writeSafetensors(new Map([...tensors, [table, own]])) };
      const { data, config: settings, notes } = await run(source, ids);
      assert.equal(settings.head, 'linear');
      assert.match(notes.join(), /its own/);
      const model = (await gf.loadModel({ config, weights: writeSafetensors(tensors) })).model;
      const typeIds = model.config.types ? { typeIds: ids.map(() => 0) } : {};
      const { output } = model.forward({ ids, ...typeIds, capture: true });
      const read = model.config.headTransform ? model.tensor('transform.norm.out') : output;
      const C = Number(model.config.d_model);
      const logits = gf.matmul({ data: read.data, shape: [ids.length, C] }, own, { transposeB: true }).data;
      const bias = model.config.headTransform ? model.tensor('generator.bias').data : [0];
      model.free();
      logits.forEach((x, i) => assert(Math.abs(x + bias[i % bias.length] - data[i]) < 2e-4, `${x} for ${data[i]}`));
    }
    await refused(
      { config: { ...config, tie_word_embeddings: false }, weights: writeSafetensors(tensors) },
      'missing',
      table,
    );
    const half = await run({ config, weights: writeSafetensors(tensors, { float16: true }) }, ids);
    const apart = half.data.map((/** @type {number} */ x, /** @type {number} */ i) => Math.abs(x - base.data[i]));
    assert(Math.max(...apart) > 0 || name.includes('f16'));
    assert(Math.max(...apart) < 0.05);
  });

  test(`${name}: a tensor that lacks, of another shape or kind, or no number, is named`, async () => {
    const names = [...tensors.keys()].filter((key) => !/attn\.bias$/.test(key));
    for (const key of names.filter((_, i) => i % 5 === 0)) {
      if (!HEADS.test(key)) {
        const fewer = new Map([...tensors].filter(([each]) => each !== key));
        await refused({ config, weights: writeSafetensors(fewer) }, 'missing', key);
      }
      const tensor = tensors.get(key);
      const data = { data: Array.from(tensor.data), shape: [...tensor.shape, 1] };
      await refused({ config, weights: writeSafetensors(new Map([...tensors, [key, data]])) }, 'shape', key);
      const whole = { data: Int32Array.from(tensor.data), shape: tensor.shape };
      await refused({ config, weights: writeSafetensors(new Map([...tensors, [key, whole]])) }, 'dtype', key);
      const bad = { data: Float32Array.from(tensor.data), shape: tensor.shape };
      bad.data[bad.data.length - 1] = NaN;
      await refused({ config, weights: writeSafetensors(new Map([...tensors, [key, bad]])) }, 'number', key);
    }
  });
}

test('without its head a BERT gives vectors', async () => {
  const { config, tensors, ids } = caseOf('bert-2l');
  const body = new Map([...tensors].filter(([key]) => !HEADS.test(key)));
  const { data, output, notes, config: settings } = await run({ config, weights: writeSafetensors(body) }, ids);
  assert.equal(data, undefined);
  assert.equal(output.length, ids.length * config.hidden_size);
  assert.equal(settings.head, 'none');
  assert.match(notes.join(), /no head for masked words/);
});

test('the kinds of attention of a GPT-Neo become bits', async () => {
  const { config, tensors, ids } = caseOf('gpt-neo-4l');
  const kinds = async (/** @type {object} */ changes) => {
    const weights = writeSafetensors(tensors);
    const { config: settings } = await run({ config: { ...config, ...changes }, weights }, ids);
    return [settings.window, settings.globalLayers];
  };
  assert.deepEqual(await kinds({}), [256, 0b0101]);
  assert.deepEqual(
    await kinds({
      attention_types: [
        [['local'], 3],
        [['global'], 1],
      ],
      window_size: 3,
    }),
    [3, 0b1000],
  );
  assert.deepEqual(await kinds({ attention_layers: ['global', 'global', 'local', 'global'] }), [256, 0b1011]);
  assert.deepEqual(await kinds({ attention_types: [[['global'], 4]] }), [0, 0]);
});

test('what a config leaves out is what Hugging Face has by default', async () => {
  /** @type {[string, Record<string, unknown>][]} by the documentation of their configurations */
  const defaults = [
    ['bert-2l', { hidden_act: 'gelu', layer_norm_eps: 1e-12, type_vocab_size: 2, position_embedding_type: 'absolute' }],
    ['distilbert-2l', { activation: 'gelu' }],
    ['gpt2-2l', { activation_function: 'gelu_new', layer_norm_epsilon: 1e-5, n_inner: null, scale_attn_weights: true }],
    ['gpt-neo-4l', { activation_function: 'gelu_new', layer_norm_epsilon: 1e-5, window_size: 256 }],
  ];
  for (const [name, values] of defaults) {
    const { config, tensors, ids } = caseOf(name);
    const weights = writeSafetensors(tensors);
    const full = await run({ config: { ...config, ...values }, weights }, ids);
    const few = Object.fromEntries(Object.entries(config).filter(([key]) => !(key in values)));
    assert.deepEqual((await run({ config: few, weights }, ids)).data, full.data, name);
  }
  const sizes = { 'bert-2l': 512, 'distilbert-2l': 512, 'gpt2-2l': 1024, 'gpt-neo-4l': 2048 };
  for (const [name, length] of Object.entries(sizes)) {
    const { config, tensors, ids } = caseOf(name);
    const few = Object.fromEntries(Object.entries(config).filter(([each]) => !/^(max_|n_)(pos|ctx)/.test(each)));
    const [key, table] = [...tensors].find(([each]) => /(wpe|position_embeddings)\.weight$/.test(each)) ?? [];
    const data = new Float32Array(length * table.shape[1]);
    data.set(table.data);
    const longer = writeSafetensors(new Map([...tensors, [key, { data, shape: [length, table.shape[1]] }]]));
    const { config: settings } = await run({ config: few, weights: longer }, ids);
    assert.equal(settings.maxLength, length, name);
  }
});

/** Arrays in arrays, as JSON may have them. @param {number} depth */
function nested(depth) {
  /** @type {unknown[]} */
  let list = [];
  for (let i = 0; i < depth; i++) list = [list];
  return list;
}

/** @param {any} source @param {string} code @param {string | RegExp} parameter @param {RegExp} [message] */
async function refused(source, code, parameter, message = /./) {
  let error;
  try {
    (await gf.loadModel(source)).model.free();
  } catch (thrown) {
    error = /** @type {any} */ (thrown);
  }
  assert.equal(error?.name, 'GlassformerError', `${parameter}: ${error}`);
  assert.deepEqual([error.code, error.parameter], [code, parameter], error.message);
  assert.match(error.message, message);
  isUntouched();
}

test('what a family cannot do here is refused by name', async () => {
  const of = (/** @type {string} */ name) => {
    const { config, tensors } = caseOf(name);
    const weights = writeSafetensors(tensors);
    return (/** @type {object} */ changes, /** @type {string} */ code, /** @type {string} */ setting) =>
      refused({ config: { ...config, ...changes }, weights }, code, `config.${setting}`);
  };
  const bert = of('bert-2l');
  await bert({ position_embedding_type: 'relative_key' }, 'unsupported', 'position_embedding_type');
  await bert({ hidden_act: 'gelu_10' }, 'unsupported', 'hidden_act');
  await bert({ is_decoder: true }, 'unsupported', 'is_decoder');
  await bert({ add_cross_attention: true }, 'unsupported', 'add_cross_attention');
  await bert({ num_key_value_heads: 2 }, 'unsupported', 'num_key_value_heads');
  await bert({ rope_theta: 10000 }, 'unsupported', 'rope_theta');
  await bert({ model_type: 'mixtral' }, 'unsupported', 'model_type');
  await bert({ model_type: undefined }, 'unsupported', 'model_type');
  await bert({ model_type: 'toString' }, 'unsupported', 'model_type');
  await bert({ num_hidden_layers: 1e9 }, 'config', 'num_hidden_layers');
  await bert({ hidden_size: 1e15 }, 'config', 'hidden_size');
  await bert({ vocab_size: '66' }, 'config', 'vocab_size');
  await bert({ intermediate_size: -1 }, 'config', 'intermediate_size');
  await bert({ layer_norm_eps: NaN }, 'config', 'layer_norm_eps');
  await bert({ num_attention_heads: undefined }, 'missing', 'num_attention_heads');
  await bert({ hidden_act: { toString: 1 } }, 'unsupported', 'hidden_act');
  await bert({ hidden_act: ['gelu'] }, 'unsupported', 'hidden_act');
  await bert({ position_embedding_type: { toString: 1 } }, 'unsupported', 'position_embedding_type');
  const gpt2 = of('gpt2-2l');
  await gpt2({ scale_attn_by_inverse_layer_idx: true }, 'unsupported', 'scale_attn_by_inverse_layer_idx');
  await gpt2({ activation_function: 'tanh' }, 'unsupported', 'activation_function');
  await gpt2({ n_embd: 1.5 }, 'config', 'n_embd');
  const neo = of('gpt-neo-4l');
  await neo({ attention_types: [[['global', 'sparse'], 2]] }, 'unsupported', 'attention_types');
  await neo({ attention_types: [[['global', 'local'], 1e9]] }, 'unsupported', 'attention_types');
  await neo({ attention_types: 'local' }, 'unsupported', 'attention_types');
  await neo({ window_size: 0 }, 'config', 'window_size');
  await neo({ attention_layers: [['local'], ['local'], ['local'], ['local']] }, 'unsupported', 'attention_layers');
  await neo({ attention_layers: new Array(4).fill({ toString: 1 }) }, 'unsupported', 'attention_layers');
  await neo({ attention_types: [[[{ toString: 1 }], 4]] }, 'unsupported', 'attention_types');
  await neo({ attention_types: nested(100_000) }, 'unsupported', 'attention_types');
});

test('sizes that are not those of the file name its tensor', async () => {
  const { config, tensors } = caseOf('gpt2-2l');
  const weights = writeSafetensors(tensors);
  await refused({ config: { ...config, vocab_size: 2 ** 20 }, weights }, 'shape', 'transformer.wte.weight');
  await refused({ config: { ...config, n_layer: 3 }, weights }, 'missing', 'transformer.h.2.ln_1.weight');
  await refused({ config: { ...config, n_head: 5 }, weights }, 'config', 'heads');
  const { code } = await gf.loadModel({ config: { ...config, n_layer: 1 }, weights }).catch((error) => error);
  assert.equal(code, 'format');
});

test('a tokenizer that is damaged', async () => {
  const gpt2 = caseOf('gpt2-2l');
  const weights = writeSafetensors(gpt2.tensors);
  const with_ = (/** @type {any} */ tokenizer, /** @type {RegExp} */ message) =>
    refused({ config: gpt2.config, weights, tokenizer }, 'format', 'tokenizer', message);
  const { model } = gpt2.tokenizer;
  await with_({ ...gpt2.tokenizer, model: { ...model, vocab: { ...model.vocab, zebra: 4e9 } } }, /zebra/);
  await with_({ ...gpt2.tokenizer, model: { ...model, vocab: { ...model.vocab, zebra: 3 } } }, /the same id/);
  await with_({}, /no model/);
  await with_(new Blob(['{"model":']), /is no JSON/);
  await with_(new Blob(['[1]']), /must be an object/);
});

test('a tokenizer that does not fit costs the calls that need it', async () => {
  const gpt2 = caseOf('gpt2-2l');
  const bert = caseOf('bert-2l');
  const { vocab_size: V } = gpt2.config;
  const weights = writeSafetensors(gpt2.tensors);
  const open = (/** @type {any} */ tokenizer, config = gpt2.config) => gf.loadModel({ config, weights, tokenizer });
  const pad = { id: V, content: '<pad>', single_word: false, lstrip: false, rstrip: false, normalized: false };
  const larger = { ...gpt2.tokenizer, added_tokens: [...gpt2.tokenizer.added_tokens, { ...pad, special: true }] };

  const { model, tokenizer, notes } = await open(larger);
  assert.deepEqual(notes[0], `the tokenizer has ${V + 1} ids, the model's table ${V} rows: it refuses the others`);
  const plain = await open(gpt2.tokenizer);
  assert.deepEqual(await model.embed(['the creek']), await plain.model.embed(['the creek']));
  const { ids } = tokenizer.encode('the creek<pad>');
  assert.equal(ids.at(-1), V);
  assert.throws(() => model.forward({ ids }), { code: 'token', value: V });
  await assert.rejects(model.embed(['the creek<pad>']), { code: 'token' });
  assert.deepEqual(model.forward({ ids: ids.slice(0, -1) }), plain.model.forward({ ids: ids.slice(0, -1) }));

  const words = await open(bert.tokenizer);
  assert.deepEqual(words.notes[0], 'the tokenizer is of kind WordPiece, that of a gpt2 is usually BPE');
  assert.equal((await words.model.embed(['the creek'])).shape[0], 1);
  const herbert = { model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: [], unk_token: null } };
  const inBert = { config: bert.config, weights: writeSafetensors(bert.tensors) };
  const own = await gf.loadModel({ ...inBert, tokenizer: { ...herbert, pre_tokenizer: { type: 'BertPreTokenizer' } } });
  assert.match(own.notes[0], /^the tokenizer is of kind BPE, that of a bert is usually WordPiece$/);
  assert.equal((await own.model.embed(['ab'])).shape[0], 1);

  // A pattern that may take forever: texts are refused with the reason, ids are computed.
  const slow = { type: 'Split', pattern: { Regex: '(a+)+b' }, behavior: 'Isolated', invert: false };
  const without = await open({ ...gpt2.tokenizer, pre_tokenizer: slow });
  assert.equal(without.tokenizer, undefined);
  assert(
    without.notes.some((note) => /^texts are not read: tokenizer: /.test(note)),
    without.notes.join(),
  );
  assert.deepEqual(without.model.forward({ ids: [1, 2] }), plain.model.forward({ ids: [1, 2] }));
  await assert.rejects(without.model.embed(['the creek']), { code: 'unsupported', parameter: 'tokenizer' });
  for (const each of [model, plain.model, words.model, own.model, without.model]) each.free();
});

test('a tied tensor is found under either of its names', async () => {
  for (const [name, own, other] of [
    ['gpt2-2l', 'transformer.wte.weight', 'lm_head.weight'],
    ['bert-2l', 'bert.embeddings.word_embeddings.weight', 'cls.predictions.decoder.weight'],
    ['bert-2l', 'cls.predictions.bias', 'cls.predictions.decoder.bias'],
    ['distilbert-2l', 'distilbert.embeddings.word_embeddings.weight', 'vocab_projector.weight'],
    ['gpt-neo-4l', 'transformer.wte.weight', 'lm_head.weight'],
  ]) {
    const { config, tensors, ids } = caseOf(name);
    const wanted = await run({ config, weights: writeSafetensors(tensors) }, ids);
    wanted.notes = [];
    const moved = new Map([...tensors].filter(([each]) => each !== other));
    moved.set(other, tensors.get(own)).delete(own);
    const metadata = { format: 'pt', [own]: other };
    const { notes, ...found } = await run({ config, weights: writeSafetensors(moved, { metadata }) }, ids);
    assert.deepEqual({ ...found, notes: [] }, wanted, name);
    assert(
      notes.some((note) => note.startsWith(`${other} was read as `)),
      notes.join(),
    );
    const weight_map = Object.fromEntries([...moved.keys()].map((each) => [each, 'all.safetensors']));
    const files = [
      new File([JSON.stringify(config)], 'config.json'),
      new File([JSON.stringify({ weight_map })], 'model.safetensors.index.json'),
      new File([/** @type {any} */ (writeSafetensors(moved))], 'all.safetensors'),
    ];
    assert.deepEqual({ ...(await run(files, ids)), notes: [] }, wanted, `${name} by its index`);
  }
  const { config, tensors } = caseOf('gpt2-2l');
  const moved = new Map([...tensors].filter(([each]) => each !== 'transformer.wte.weight'));
  moved.set('lm_head.weight', tensors.get('transformer.wte.weight'));
  const untied = { config: { ...config, tie_word_embeddings: false }, weights: writeSafetensors(moved) };
  await refused(untied, 'missing', 'transformer.wte.weight');
});

test('files that are cut or damaged at any place are refused, and nothing else changes', async () => {
  const { config, ids } = caseOf('gpt2-bare-bf16');
  const good = bytesOf('gpt2-bare-bf16/model.safetensors');
  const header = 8 + Number(good.readBigUInt64LE(0));
  const attempt = async (/** @type {Uint8Array} */ weights) => {
    try {
      const { data } = await run({ config, weights }, ids);
      return data.every(Number.isFinite);
    } catch (error) {
      assert.equal(error.name, 'GlassformerError', String(error.stack));
      return false;
    } finally {
      isUntouched();
    }
  };
  const cut = fc.asyncProperty(fc.nat(good.length - 1), async (length) => {
    assert.equal(await attempt(good.subarray(0, length)), false);
  });
  await fc.assert(cut, { numRuns: 40 });
  // In the header a byte may stand in a name that is passed over; whatever opens gives numbers.
  const flipped = fc.asyncProperty(fc.nat(header - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
    const damaged = new Uint8Array(good);
    damaged[at] ^= change;
    await attempt(damaged);
  });
  await fc.assert(flipped, { numRuns: 60 });
  const long = new Uint8Array(good);
  new DataView(long.buffer).setBigUint64(0, 10_000_000_000n, true);
  await refused({ config, weights: long }, 'format', 'file', /header's length/);
  assert(gf.memoryBytes <= 2 * memory + 2 ** 22, `${gf.memoryBytes} after ${memory}`);
});

test('holes and overlaps are refused', async () => {
  const { config } = caseOf('gpt2-bare-bf16');
  const good = bytesOf('gpt2-bare-bf16/model.safetensors');
  const start = 8 + Number(good.readBigUInt64LE(0));
  const moved = (/** @type {number} */ by) => {
    const json = JSON.parse(String(good.subarray(8, start)));
    const names = Object.keys(json).filter((key) => key !== '__metadata__');
    json[names[3]].data_offsets = json[names[3]].data_offsets.map((/** @type {number} */ at) => at + by);
    const text = Buffer.from(JSON.stringify(json));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return { weights: Buffer.concat([length, text, good.subarray(start)]), name: names[3] };
  };
  const [hole, overlap] = [moved(2), moved(-2)];
  await refused({ config, weights: hole.weights }, 'format', hole.name);
  await refused({ config, weights: overlap.weights }, 'format', overlap.name);
});

test('what else may be given', async () => {
  const { config, tensors } = caseOf('gpt2-2l');
  const weights = writeSafetensors(tensors);
  await refused({ config }, 'missing', 'weights');
  await refused({ config, weights, tokeniser: {} }, 'unknown', 'tokeniser');
  await refused({ config: new Blob(['<html>']), weights }, 'format', 'config');
  await refused({ config, weights: new Blob(['<html><body>not here</body></html>']) }, 'format', 'file');
  await refused(
    [new File(['{}'], 'config.json'), new File(['x'], 'tf_model.h5')],
    'missing',
    'model.safetensors',
    /tf_model\.h5 is another format/,
  );
  await refused(pathToFileURL(`${fileURLToPath(folder)}none/`), 'notFound', 'file');
  const doubled = new Map([...tensors, ['wte.weight', tensors.get('transformer.wte.weight')]]);
  await refused({ config, weights: writeSafetensors(doubled) }, 'format', 'wte.weight');
  await refused({ config, weights: [weights, weights] }, 'format', [...tensors.keys()].sort()[0]).catch(() => {});
});

test('a signal ends it, progress is reported', async () => {
  const { config, tensors, ids } = caseOf('gpt2-2l');
  const weights = writeSafetensors(tensors);
  const stop = new AbortController();
  const onProgress = () => stop.abort(new Error('enough'));
  await assert.rejects(run({ config, weights }, ids, { signal: stop.signal, onProgress }), { message: 'enough' });
  isUntouched();
  /** @type {{loaded: number, total: number}[]} */
  const reports = [];
  await run({ config, weights }, ids, { onProgress: (/** @type {any} */ progress) => reports.push(progress) });
  assert(reports.length >= tensors.size - 3);
  assert(reports.every(({ loaded }, i) => i === 0 || loaded >= reports[i - 1].loaded));
});

test('ids beyond the table are refused by the model', async () => {
  const { model } = await gf.loadModel(new URL('bert-2l/', folder));
  assert.throws(() => model.forward({ ids: [0, model.config.vocabulary] }), { code: 'token' });
  assert.throws(() => model.forward({ ids: new Array(model.config.maxLength + 1).fill(0) }), {
    name: 'GlassformerError',
  });
  model.free();
  isUntouched();
});
