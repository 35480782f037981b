// RoBERTa and OPT: with the weights of a BERT and of a GPT-2 under their own names they compute the same bits.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { loadTokenizer } from 'glassformer/tokenizers';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const jsonOf = (/** @type {string} */ path) => JSON.parse(String(readFileSync(new URL(path, folder))));
const tensorsOf = (/** @type {string} */ name) =>
  /** @type {Map<string, any>} */ (readSafetensors(readFileSync(new URL(`${name}/model.safetensors`, folder))).tensors);

/** @typedef {{data: Float32Array, shape: number[]}} Tensor */

/** Rows that the family's positions begin after, filled with what must not be read. @param {Tensor} table */
function behindTwoRows({ data, shape: [rows, columns] }) {
  const longer = new Float32Array((rows + 2) * columns).fill(1000);
  longer.set(data, 2 * columns);
  return { data: longer, shape: [rows + 2, columns] };
}

/** A part of the columns of a matrix [in, out], as [out, in]. @param {Tensor} matrix */
function turned({ data, shape: [rows, columns] }, from = 0, to = columns) {
  const out = new Float32Array(rows * (to - from));
  for (let r = 0; r < rows; r++) for (let c = from; c < to; c++) out[(c - from) * rows + r] = data[r * columns + c];
  return { data: out, shape: [to - from, rows] };
}

/** Saved under the family's names, it is the same again. @param {any} config @param {Map<string, Tensor>} tensors */
async function isSaved(config, tensors) {
  const { model, family } = await gf.loadModel({ config, weights: writeSafetensors(tensors) });
  const files = await model.save({ format: 'huggingface' });
  const [json, weights] = [files['config.json'], files['model.safetensors']];
  const { model: again, family: same } = await gf.loadModel({ config: json, weights });
  assert.deepEqual([same, again.config, again.weights()], [family, model.config, model.weights()]);
  const names = new Set(tensors.keys());
  for (const [name, { shape }] of readSafetensors(weights).tensors) {
    assert.deepEqual(shape, tensors.get(name)?.shape, name);
    names.delete(name);
  }
  assert.deepEqual([...names], []);
}

/** All of a pass over a few ids. @param {any} config @param {Map<string, Tensor>} tensors */
async function run(config, tensors) {
  const { model, family, notes } = await gf.loadModel({ config, weights: writeSafetensors(tensors) });
  const ids = [3, 5, 12, 33, 2];
  const { logits, output } = model.forward({ ids, ...(model.config.types && { typeIds: ids.map(() => 0) }) });
  const said = { numbers: [...output.data, ...(logits?.data ?? [])], settings: model.config, family, notes };
  model.free();
  return said;
}

/**
 * @param {any} config @param {Map<string, Tensor>} tensors
 * @param {string} code @param {string} at @param {RegExp} [why]
 */
const refused = (config, tensors, code, at, why = /./) =>
  assert.rejects(run(config, tensors), (/** @type {any} */ error) => {
    assert.deepEqual([error.name, error.code, error.parameter], ['GlassformerError', code, at], error.message);
    assert.match(error.message, why);
    return true;
  });

const bert = { config: jsonOf('bert-2l/config.json'), tensors: tensorsOf('bert-2l') };
const HEAD = { 'transform.dense': 'dense', 'transform.LayerNorm': 'layer_norm', bias: 'bias' };

/** A BERT as a RoBERTa, whose texts are of one type. @param {number} types */
function asRoberta(types) {
  const { config, tensors } = bert;
  const named = new Map();
  for (const [name, tensor] of tensors) {
    const [, part, rest = ''] = /^cls\.predictions\.(transform\.dense|transform\.LayerNorm|bias)(.*)$/.exec(name) ?? [];
    const now = part ? `lm_head.${HEAD[/** @type {'bias'} */ (part)]}${rest}` : name.replace(/^bert\./, 'roberta.');
    const C = tensor.shape.at(-1);
    if (/position_embeddings/.test(name)) named.set(now, behindTwoRows(tensor));
    else if (/token_type/.test(name)) named.set(now, { data: tensor.data.slice(0, types * C), shape: [types, C] });
    else named.set(now, tensor);
  }
  const longest = config.max_position_embeddings + 2;
  return {
    config: {
      ...config,
      model_type: 'roberta',
      max_position_embeddings: longest,
      type_vocab_size: types,
      pad_token_id: 1,
    },
    tensors: named,
  };
}

test('a RoBERTa is a BERT whose positions begin after that of the padding', async () => {
  const wanted = await run(bert.config, bert.tensors);
  for (const types of [1, 2]) {
    const { config, tensors } = asRoberta(types);
    const { numbers, settings, family } = await run(config, tensors);
    assert.deepEqual(numbers, wanted.numbers);
    assert.deepEqual([family, settings.maxLength], ['roberta', bert.config.max_position_embeddings]);
    assert.equal(settings.positionsFrom, 'visible');
    await isSaved(config, tensors);
    const { pad_token_id, hidden_act, ...few } = config;
    assert.deepEqual([pad_token_id, hidden_act], [1, 'gelu']);
    assert.deepEqual((await run(few, tensors)).numbers, wanted.numbers, 'by default');
    const bare = new Map([...tensors].map(([name, tensor]) => [name.replace(/^roberta\./, ''), tensor]));
    assert.deepEqual((await run(config, bare)).numbers, wanted.numbers, 'without prefix');
    const table = /** @type {Tensor} */ (tensors.get('roberta.embeddings.word_embeddings.weight'));
    const tied = new Map([...tensors, ['lm_head.decoder.weight', table]]);
    assert.deepEqual((await run(config, tied)).numbers, wanted.numbers, 'with its table twice');
    const body = new Map([...tensors].filter(([name]) => !name.startsWith('lm_head')));
    assert.match((await run(config, body)).notes.join(), /no head for masked words/);
  }
});

test('an XLM-R and a CamemBERT are RoBERTas by other names', async () => {
  const { config, tensors } = asRoberta(1);
  const wanted = await run(config, tensors);
  for (const model_type of ['xlm-roberta', 'camembert']) {
    const { numbers, settings, family } = await run({ ...config, model_type }, tensors);
    assert.deepEqual([family, numbers, settings], [model_type, wanted.numbers, wanted.settings]);
    await isSaved({ ...config, model_type }, tensors);
  }
});

/** A BERT as an ELECTRA. @param {object} changes */
function asElectra(changes = {}) {
  const { config, tensors } = bert;
  const named = [...tensors].map(([name, tensor]) => [
    name
      .replace(/^bert\./, 'electra.')
      .replace('cls.predictions.transform.', 'generator_predictions.')
      .replace('cls.predictions.bias', 'generator_lm_head.bias'),
    tensor,
  ]);
  const own = { model_type: 'electra', embedding_size: config.hidden_size };
  return { config: { ...config, ...own, ...changes }, tensors: new Map(/** @type {any} */ (named)) };
}

test('an ELECTRA whose embeddings are as wide as its layers is a BERT by other names', async () => {
  const wanted = await run(bert.config, bert.tensors);
  const { config, tensors } = asElectra();
  const { numbers, settings, family } = await run(config, tensors);
  assert.deepEqual([family, numbers, settings], ['electra', wanted.numbers, wanted.settings]);
  await isSaved(config, tensors);
  const table = /** @type {Tensor} */ (tensors.get('electra.embeddings.word_embeddings.weight'));
  const tied = new Map([...tensors, ['generator_lm_head.weight', table]]);
  assert.deepEqual((await run(config, tied)).numbers, wanted.numbers, 'with its table twice');
  const C = config.hidden_size;
  const vector = { data: new Float32Array(C), shape: [C] };
  const discriminator = new Map([...tensors].filter(([name]) => !name.startsWith('generator')));
  discriminator.set('discriminator_predictions.dense.bias', vector);
  const { notes, settings: bare } = await run(config, discriminator);
  assert.match(notes.join(), /left over: discriminator_predictions\.dense\.bias/);
  assert.equal(bare.head, 'none');
});

test('what an ELECTRA cannot do here is refused by name', async () => {
  for (const [name, value] of Object.entries({ embedding_size: 8, hidden_act: 'relu', is_decoder: true })) {
    const { config, tensors } = asElectra({ [name]: value });
    await refused(config, tensors, 'unsupported', `config.${name}`);
  }
  const { config, tensors } = asElectra({ embedding_size: undefined });
  await refused(config, tensors, 'unsupported', 'config.embedding_size', /another width than hidden_size/);
});

const MPNET = { 'self.query': 'attn.q', 'self.key': 'attn.k', 'self.value': 'attn.v', 'output.dense': 'attn.o' };

/** A RoBERTa as an MPNet, with a table of relative positions. @param {Tensor} table @param {object} changes */
function asMpnet(table, changes = {}) {
  const { config, tensors } = asRoberta(1);
  const named = new Map([['mpnet.encoder.relative_attention_bias.weight', table]]);
  for (const [name, tensor] of tensors) {
    const now = name
      .replace(/^roberta\./, 'mpnet.')
      .replace(/(?<=attention\.)(self\.\w+|output\.dense)/, (part) => MPNET[/** @type {'self.key'} */ (part)])
      .replace('attention.output.LayerNorm', 'attention.LayerNorm');
    if (!/token_type/.test(name)) named.set(now, tensor);
  }
  const own = { model_type: 'mpnet', relative_attention_num_buckets: table.shape[0], type_vocab_size: undefined };
  return { config: { ...config, ...own, ...changes }, tensors: named };
}

/** As Hugging Face's MPNet counts them. @param {number} apart key less query @param {number} count */
function bucketOf(apart, count) {
  const half = count / 2;
  const exact = half / 2;
  const far = Math.abs(apart);
  const log = exact + Math.trunc((Math.log(far / exact) / Math.log(128 / exact)) * (half - exact));
  return (apart > 0 ? half : 0) + (far < exact ? far : Math.min(log, half - 1));
}

test('an MPNet is a RoBERTa that adds relative positions to its scores', async () => {
  const { config, tensors } = asRoberta(1);
  const types = 'roberta.embeddings.token_type_embeddings.weight';
  const { shape, data } = /** @type {Tensor} */ (tensors.get(types));
  const plain = new Map(tensors).set(types, { shape, data: new Float32Array(data.length) });
  const { model: twin } = await gf.loadModel({ config, weights: writeSafetensors(plain) });
  const heads = config.num_attention_heads;
  const ids = Array.from({ length: 20 }, (_, i) => 3 + ((7 * i) % 30));
  const T = ids.length;
  for (const count of [8, 32]) {
    for (const factor of [0, 1]) {
      const bias = Array.from({ length: count }, (_, i) => factor * Math.sin(i + 1));
      const flat = Float32Array.from({ length: count * heads }, (_, i) => bias[Math.floor(i / heads)]);
      const own = asMpnet({ data: flat, shape: [count, heads] });
      const { model, family } = await gf.loadModel({ config: own.config, weights: writeSafetensors(own.tensors) });
      const mask = Float32Array.from({ length: T * T }, (_, i) => bias[bucketOf((i % T) - Math.floor(i / T), count)]);
      const wanted = twin.forward({ ids, typeIds: ids.map(() => 0), mask: { data: mask, shape: [T, T] } });
      const found = model.forward({ ids });
      assert.equal(family, 'mpnet');
      found.logits?.data.forEach((/** @type {number} */ each, /** @type {number} */ i) =>
        assert.ok(Math.abs(each - Number(wanted.logits?.data[i])) < 2e-5, `logit ${i} of ${count} buckets`),
      );
      assert.deepEqual(
        [model.config.maxLength, model.config.positionsFrom],
        [config.max_position_embeddings - 2, 'visible'],
      );
      await isSaved(own.config, own.tensors);
      model.free();
    }
  }
  const { config: few, tensors: given } = asMpnet({ data: new Float32Array(32 * heads), shape: [32, heads] });
  await refused({ ...few, hidden_act: 'relu' }, given, 'unsupported', 'config.hidden_act', /gelu/);
  await refused(
    { ...few, relative_attention_num_buckets: 2 },
    given,
    'config',
    'config.relative_attention_num_buckets',
  );
  await refused(
    { ...few, relative_attention_num_buckets: 16 },
    given,
    'shape',
    'mpnet.encoder.relative_attention_bias.weight',
  );
});

test('a pair of texts is of one type for a RoBERTa, which knows no other', async () => {
  const tokens = { '<s>': 0, '<pad>': 1, '</s>': 2, '<unk>': 3, a: 4, b: 5, '<mask>': 6 };
  const { ids, typeIds } = (
    await loadTokenizer({
      model: { type: 'BPE', vocab: tokens, merges: [] },
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true },
      post_processor: { type: 'RobertaProcessing', sep: ['</s>', 2], cls: ['<s>', 0] },
    })
  ).encode('a', { pair: 'b' });
  assert.deepEqual(ids, [0, 4, 2, 2, 5, 2]);
  assert.deepEqual(typeIds, [0, 0, 0, 0, 0, 0]);
});

test('what a RoBERTa cannot do here is refused by name', async () => {
  const { config, tensors } = asRoberta(1);
  await refused({ ...config, hidden_act: 'relu' }, tensors, 'unsupported', 'config.hidden_act', /gelu/);
  await refused({ ...config, is_decoder: true }, tensors, 'unsupported', 'config.is_decoder');
  await refused({ ...config, pad_token_id: -1 }, tensors, 'config', 'config.pad_token_id');
  await refused({ ...config, max_position_embeddings: 2 }, tensors, 'config', 'config.max_position_embeddings');
  const at = 'roberta.embeddings.position_embeddings.weight';
  await refused({ ...config, pad_token_id: 0 }, new Map([...tensors].filter(([name]) => name !== at)), 'missing', at);
  await refused({ ...config, max_position_embeddings: 65 }, tensors, 'shape', at);
});

const gpt = { config: jsonOf('gpt2-2l/config.json'), tensors: tensorsOf('gpt2-2l') };
const PARTS = {
  wte: 'embed_tokens',
  'attn.c_proj': 'self_attn.out_proj',
  ln_1: 'self_attn_layer_norm',
  ln_2: 'final_layer_norm',
  ln_f: 'final_layer_norm',
  'mlp.c_fc': 'fc1',
  'mlp.c_proj': 'fc2',
};

/** A GPT-2 as an OPT. @param {object} changes */
function asOpt(changes = {}) {
  const { config, tensors } = gpt;
  const C = config.n_embd;
  const named = new Map();
  for (const [name, tensor] of tensors) {
    const [, layer = '', part, end] = /^transformer\.(h\.\d+\.)?(.+)\.(weight|bias)$/.exec(name) ?? [];
    const at = `model.decoder.${layer.replace('h.', 'layers.')}`;
    if (part === 'wpe') named.set(`${at}embed_positions.weight`, behindTwoRows(tensor));
    else if (part === 'attn.c_attn') {
      ['q', 'k', 'v'].forEach((letter, i) => {
        const [from, to] = [i * C, (i + 1) * C];
        const own = end === 'bias' ? { data: tensor.data.slice(from, to), shape: [C] } : turned(tensor, from, to);
        named.set(`${at}self_attn.${letter}_proj.${end}`, own);
      });
    } else if (part in PARTS) {
      const isMap = /c_fc|c_proj/.test(part) && end === 'weight';
      named.set(`${at}${PARTS[/** @type {'wte'} */ (part)]}.${end}`, isMap ? turned(tensor) : tensor);
    }
  }
  return {
    config: {
      model_type: 'opt',
      activation_function: config.activation_function ?? 'gelu_new',
      hidden_size: C,
      word_embed_proj_dim: C,
      ffn_dim: config.n_inner ?? 4 * C,
      num_hidden_layers: config.n_layer,
      num_attention_heads: config.n_head,
      max_position_embeddings: config.n_positions,
      vocab_size: config.vocab_size,
      do_layer_norm_before: true,
      ...changes,
    },
    tensors: named,
  };
}

test('an OPT is a GPT-2 with ReLU whose positions begin two rows later', async () => {
  const { config, tensors } = asOpt();
  const wanted = await run({ ...gpt.config, layer_norm_epsilon: 1e-5 }, gpt.tensors);
  const { numbers, settings, family } = await run(config, tensors);
  assert.deepEqual(numbers, wanted.numbers);
  assert.deepEqual([family, settings.maxLength], ['opt', gpt.config.n_positions]);
  await isSaved(config, tensors);
  const { activation_function, do_layer_norm_before, word_embed_proj_dim, ...few } = config;
  assert(activation_function && do_layer_norm_before && word_embed_proj_dim);
  const relu = await run({ ...gpt.config, layer_norm_epsilon: 1e-5, activation_function: 'relu' }, gpt.tensors);
  assert.deepEqual((await run(few, tensors)).numbers, relu.numbers, 'by default');
  const bare = new Map([...tensors].map(([name, tensor]) => [name.replace(/^model\./, ''), tensor]));
  assert.deepEqual((await run(config, bare)).numbers, wanted.numbers, 'without prefix');
  const table = /** @type {Tensor} */ (tensors.get('model.decoder.embed_tokens.weight'));
  const tied = new Map([...tensors, ['lm_head.weight', table]]);
  assert.deepEqual((await run(config, tied)).numbers, wanted.numbers, 'with its table twice');
});

test('what an OPT cannot do here is refused by name', async () => {
  for (const [name, value] of Object.entries({
    do_layer_norm_before: false,
    enable_bias: false,
    layer_norm_elementwise_affine: false,
    _remove_final_layer_norm: true,
    word_embed_proj_dim: 512,
  })) {
    const { config, tensors } = asOpt({ [name]: value });
    await refused(config, tensors, 'unsupported', `config.${name}`);
  }
  const { config, tensors } = asOpt({ num_hidden_layers: 1 });
  await refused(config, tensors, 'format', 'model.decoder.layers.1.fc1.bias', /num_hidden_layers = 1/);
});

/** Popular families without support, by transformers' `model_type`. */
const OTHERS =
  `gemma2 recurrent_gemma nemotron internlm2 gptj codegen phi phi3small stablelm persimmon glm cohere cohere2 smollm3
  olmo olmo2 granite minicpm bloom mpt gpt_bigcode starcoder2 llava clip vit whisper mamba rwkv
  albert deberta-v2 umt5 longt5 xlnet longformer big_bird mbart pegasus m2m_100`.split(/\s+/);

test('families that are not known are refused with what is missing here', async () => {
  const weights = writeSafetensors({});
  const because = (/** @type {object} */ config) =>
    gf.loadModel({ config, weights }).then(assert.fail, (/** @type {any} */ { code, message }) => {
      assert.equal(code, 'unsupported');
      return message;
    });
  const today = { num_attention_heads: 32, num_key_value_heads: 8, rms_norm_eps: 1e-5, rope_theta: 1e4 };
  for (const [model_type, missing] of [
    ['mixtral', 'mixtures of experts'],
    ['qwen3_moe', 'mixtures of experts'],
    ['nemotron', 'squared ReLU'],
    ['gemma3_text', 'norms behind the sublayers, two bases of rotary positions'],
    ['phi', 'one norm before attention and network'],
    ['gptj', 'one norm before attention and network, rotary positions that turn pairs of neighbours'],
    ['falcon', 'one norm before attention and network, files of this family'],
    ['phi4_multimodal', 'images'],
    ['albert', 'embeddings of another width than d_model, one layer in the place of all'],
    ['qwen2_vl', 'images'],
  ]) {
    const message = await because({ model_type, ...today });
    assert.ok(message.endsWith(`; not computed here: ${missing}, got "${model_type}"`), message);
  }
  assert.match(await because({ model_type: 'new', alibi: true }), /not computed here: positions by slopes \(ALiBi\)/);
  // Grouped heads and rotary positions are computed.
  const grouped = { model_type: 'new', multi_query: true, rotary_dim: 32, rotary_pct: 0.25 };
  for (const config of [{ model_type: 'new', ...today }, grouped])
    assert.doesNotMatch(await because(config), /not computed/);
  for (const model_type of OTHERS) assert.match(await because({ model_type }), /not computed here: /, model_type);
  assert.match(await because({ model_type: 'umt5', relative_attention_num_buckets: 32 }), /relative positions/);
});

test('a setting that says yes or no refuses anything else by name', async () => {
  const weights = writeSafetensors({});
  for (const [name, value] of Object.entries({ attention_bias: 1, tie_word_embeddings: 'yes', use_sliding_window: 0 }))
    for (const model_type of ['llama', 'qwen2', 'gpt2'])
      await assert.rejects(gf.loadModel({ config: { model_type, [name]: value }, weights }), {
        code: 'config',
        parameter: `config.${name}`,
      });
});
