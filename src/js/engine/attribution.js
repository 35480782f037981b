// Direct logit attribution. Fetched with lens.js.
import { GlassformerError } from '../errors.js';
import { EDITION_4, expectKnown } from './known.js';
import { any, integer, maybe, readOptions } from '../arrays/tensor.js';
import { dot, withFeatures } from './feature-effects.js';
import { partOf, readSelector, rowReader, selected } from './selector.js';
import { runOf } from './trace.js';

/** @typedef {import('./handle.js').GraphNode} GraphNode */

/**
 * @typedef {object} AttributionOptions
 * @property {number} [id] of the word whose logit is taken apart, default the likeliest at the token
 * @property {number} [against] of a word whose logit is subtracted
 * @property {number} [neurons] layer, from 0, whose FFN is taken apart by neuron
 * @property {import('../features/features.js').Features} [features] a dictionary: what stands at its place is taken
 *   apart by feature
 * @property {import('./selector.js').Selector} [at] the place, where it is not the dictionary's own
 */

/**
 * The direct effect of a head or an FFN on the logit, without its bias.
 * @typedef {object} AttributionPart
 * @property {'encoder' | 'decoder'} stack of the layer
 * @property {number} layer from 0
 * @property {'self' | 'cross'} [attention] of a head
 * @property {number} [head] from 0; an FFN has none
 * @property {number} value added to the logit
 * @property {Float64Array} [keys] added by a head from each key, together `value` unless its output is patched
 * @property {Float64Array} [neurons] added by each neuron of the asked layer's FFN, likewise
 */

/**
 * A logit as a sum: `embedding + biases + patches + sum of the parts' values = logit`, to the rounding of float32.
 * @typedef {object} Attribution
 * @property {number} id of the word
 * @property {number | null} against of the word whose logit is subtracted
 * @property {number} logit of the word, minus that of `against`
 * @property {number} embedding added by the input of the first layer: embedding, positions, token types
 * @property {number} biases added by all biases on the way: of heads, FFNs, norms and the output
 * @property {number} patches the rest, which patches of the residual stream put in; 0 of a pass without patches
 * @property {AttributionPart[]} parts layer by layer: heads, then the FFN; of layers without residual connections the
 *   last sublayer alone, as nothing before it reaches the logit without passing through it
 * @property {import('./feature-effects.js').FeatureEffects} [features] the asked dictionary's
 */

/**
 * See Trace.attribution. The direction of the word in the output table goes back through the graph: norms and BERT's
 * transform with the scale that they had in this pass, which makes them linear; at each head and FFN it is multiplied
 * with what that one added.
 * @param {import('./trace.js').Trace} trace
 * @param {number} token
 * @param {AttributionOptions} [options]
 * @returns {Promise<Attribution>}
 */
export async function attribution(trace, token, options = {}) {
  const { features, at, ...others } = readOptions(options, { ...ANY, features: any, at: any });
  if (features === undefined && at === undefined) return attributionAt(trace, token, others).found;
  return withFeatures(trace, { features, at, ...others }, (given, place) => attributionAt(trace, token, given, place));
}

/** Options that attributionAt reads. */
const ANY = { id: any, against: any, neurons: any };

/**
 * An attribution, and what leads from a place of the pass to the logit.
 * @param {import('./trace.js').Trace} trace
 * @param {number} token
 * @param {Omit<AttributionOptions, 'features' | 'at'>} options
 * @param {import('./selector.js').Selector} [at]
 * @returns {{found: Attribution, place?: import('./feature-effects.js').DirectPlace}}
 */
export function attributionAt(trace, token, options, at) {
  const { handle, batch, changes } = runOf(trace);
  expectKnown(handle, EDITION_4, 'attribution');
  const { B, S, T } = batch.sizes;
  const graph = handle.graph();
  const output = graph.find(({ kind }) => kind === 'logits' || kind === 'values');
  if (!output?.weight)
    throw new GlassformerError('config', 'head', handle.config.head, 'attribution needs a model with a head');
  if (B !== 1) throw new GlassformerError('shape', 'trace', B, 'attribution needs a pass over one sequence');
  const row = rowReader(T || S)(token, 'token');
  const reads = reader(trace, row);
  const scores = reads.row(output.kind);
  const word = maybe(integer(0, scores.length - 1));
  const {
    id = scores.indexOf(scores.reduce((a, b) => Math.max(a, b))),
    against,
    neurons,
  } = readOptions(options, {
    id: word,
    against: word,
    neurons: maybe(
      integer(
        0,
        graph.reduce((most, { layer }) => Math.max(most, layer ?? 0), 0),
      ),
    ),
  });
  const table = handle.get(output.weight);
  const [to, from] = [id, against].map((at) => at !== undefined && handle.read(partOf(table, { row: at })).data);
  const scale = handle.config.headScale ? 1 / Math.sqrt(Number(handle.config.d_model)) : 1;
  const direction = Float64Array.from(
    /** @type {ArrayLike<number>} */ (to),
    (each, i) => (each - (from ? from[i] : 0)) * scale,
  );
  const bias = reads.weight(output.kind === 'values' ? 'output_proj.bias' : 'generator.bias');
  const found = { embedding: 0, biases: bias ? bias[id] - (from ? bias[Number(against)] : 0) : 0, parts: [] };
  const name = at === undefined ? '' : nameOf(handle, at);
  /** @type {Map<string, Float64Array>} */
  const directions = new Map();
  back(output.inputs[0], direction, { graph, handle, reads, found, neurons, name, directions });
  const logit = scores[id] - (from ? scores[Number(against)] : 0);
  const { embedding, biases, parts } = /** @type {{embedding: number, biases: number, parts: AttributionPart[]}} */ (
    found
  );
  const sum = parts.reduce((so, { value }) => so + value, embedding + biases);
  const isPatched = Boolean(changes.patches?.length || changes.ablate?.length);
  const patches = isPatched ? logit - sum : 0;
  const all = { id, against: against ?? null, logit, embedding, biases, patches, parts };
  if (!name) return { found: all };
  const along = directions.get(name);
  if (along) return { found: all, place: { name, vector: reads.row(name), direction: along } };
  const why = 'adds nothing to a logit by itself: a state of the stream does, or the output of a head or an FFN';
  throw new GlassformerError('unsupported', 'at', name, why);
}

/** The tensor of a place. @param {import('./handle.js').Handle} handle @param {unknown} at */
function nameOf(handle, at) {
  const { name, ...others } = readSelector(at, 'at');
  if (name !== undefined && !handle.known().has(name))
    throw new GlassformerError('unknown', 'at', name, 'is no tensor of the model: tensors() lists them');
  return selected(handle, { name, ...others }, 'at').name;
}

/** @typedef {ReturnType<typeof reader>} Reader */

/**
 * The numbers of one token, and the weights.
 * @param {import('./trace.js').Trace} trace @param {number} row
 */
function reader(trace, row) {
  const { handle } = runOf(trace);
  return {
    /** Of a tensor [1, T, C]. @param {string} name @param {number} [head] of one [1, H, T, K] */
    row: (name, head) => /** @type {Float32Array} */ (trace.tensor({ name, row, head }).data),
    /** Of all tokens. @param {string} name @param {number} [head] */
    all: (name, head) => /** @type {Float32Array} */ (trace.tensor({ name, head }).data),
    /** @param {string} name @returns {Float32Array | undefined} undefined: the model has none */
    weight: (name) =>
      handle.known().has(name) ? /** @type {Float32Array} */ (handle.read(handle.get(name)).data) : undefined,
    /** Of a statistic [1, T]. @param {string} name */
    statistic: (name) => /** @type {Float32Array} */ (trace.tensor(name).data)[row],
  };
}

/**
 * Takes a direction back through a node: what the node adds along it goes into `found`, before it what its inputs add.
 * @param {number} index of the node
 * @param {Float64Array} direction [C]
 * @param {{graph: GraphNode[], handle: import('./handle.js').Handle, reads: Reader,
 *   found: {embedding: number, biases: number, parts: AttributionPart[]}, neurons?: number,
 *   name: string, directions: Map<string, Float64Array>}} pass name: of the tensor whose direction is wanted
 */
function back(index, direction, pass) {
  const { graph, handle, reads, found, directions } = pass;
  const { kind, inputs, layer, attention, tensor } = graph[index];
  const stack = /** @type {'encoder' | 'decoder'} */ (graph[index].stack);
  const at = `${stack}.layers.${layer}.`;
  directions.set(String(tensor), direction);
  if (isLastOfLayer(graph, index)) directions.set(`${at}out`, direction);
  const addBias = (/** @type {string} */ name, along = direction) => {
    const bias = reads.weight(name);
    const value = bias ? dot(bias, along) : 0;
    found.biases += value;
    return value;
  };
  if (kind === 'add') {
    for (const input of inputs) back(input, direction, pass);
  } else if (kind === 'norm') {
    const prefix = normPrefix(graph, index, handle.config);
    addBias(`${prefix}bias`);
    back(inputs[0], throughNorm(direction, prefix, handle.config, reads), pass);
  } else if (kind === 'transform') {
    // Its activation as a factor: what came out of it over what went in.
    const [before, after] = ['transform.pre_activation', 'transform.activation'].map((name) => reads.row(name));
    const gated = direction.map((each, i) => (before[i] ? (each * after[i]) / before[i] : 0));
    addBias('transform.dense.bias', gated);
    back(inputs[0], timesMatrix(gated, /** @type {Float32Array} */ (reads.weight('transform.dense.weight'))), pass);
  } else if (kind === 'ffn') {
    const value = dot(reads.row(`${at}ffn.out`), direction) - addBias(`${at}linear2.bias`);
    const activations = `${at}ffn.${handle.config.ffn === 'gated' ? 'product' : 'activation'}`;
    const isAsked = layer === pass.neurons;
    /** @type {{neurons?: Float64Array}} */
    const own = {};
    if (isAsked || activations === pass.name) {
      const along = timesMatrix(direction, /** @type {Float32Array} */ (reads.weight(`${at}linear2.weight`)));
      directions.set(activations, along);
      const given = reads.row(activations);
      if (isAsked) own.neurons = along.map((each, n) => each * given[n]);
    }
    found.parts.push({ stack, layer: Number(layer), value, ...own });
  } else if (kind === 'attention') {
    const prefix = `${at}${attention === 'cross' ? 'multihead_attn' : 'self_attn'}.`;
    addBias(`${prefix}out_proj.bias`);
    const values = timesMatrix(direction, /** @type {Float32Array} */ (reads.weight(`${prefix}out_proj.weight`)));
    directions.set(`${prefix}concat`, values);
    const place = { stack, layer: Number(layer), attention: attention ?? 'self' };
    headsOf(prefix, values, handle.config, reads).forEach((own, head) => found.parts.push({ ...place, head, ...own }));
  } else {
    found.embedding = dot(reads.row(`${stack}.input`), direction);
  }
}

/**
 * The effect of each head of an attention, by key.
 * @param {string} prefix of its tensors @param {Float64Array} direction of its heads' outputs, [H * D]
 * @param {import('./config.js').Config} config @param {Reader} reads
 */
function headsOf(prefix, direction, config, reads) {
  const heads = Number(config.heads);
  const width = direction.length / heads;
  const shared = config.keyValueHeads ? heads / Number(config.keyValueHeads) : 1;
  const concat = reads.row(`${prefix}concat`);
  return Array.from({ length: heads }, (_, head) => {
    const own = direction.subarray(head * width, (head + 1) * width);
    const values = reads.all(`${prefix}value`, Math.floor(head / shared));
    const keys = Float64Array.from(reads.row(`${prefix}weights`, head), (weight, key) =>
      weight ? weight * dot(values.subarray(key * width, (key + 1) * width), own) : 0,
    );
    return { value: dot(concat.subarray(head * width, (head + 1) * width), own), keys };
  });
}

/** Whether a node gives the state after its layer. @param {GraphNode[]} graph @param {number} index */
function isLastOfLayer(graph, index) {
  const { stack, layer } = graph[index];
  return layer !== null && !graph.slice(index + 1).some((each) => each.stack === stack && each.layer === layer);
}

/** @param {Float64Array} direction [R] @param {Float32Array} matrix [R, N] @returns {Float64Array} [N] */
function timesMatrix(direction, matrix) {
  const columns = matrix.length / direction.length;
  const to = new Float64Array(columns);
  direction.forEach((each, r) => {
    for (let c = 0; c < columns; c++) to[c] += each * matrix[r * columns + c];
  });
  return to;
}

/**
 * The prefix of the names of a norm's tensors.
 * @param {GraphNode[]} graph @param {number} index @param {import('./config.js').Config} config
 */
function normPrefix(graph, index, { kind, embeddingNorm }) {
  const { stack, layer, sublayer, inputs } = graph[index];
  if (layer !== null) return `${stack}.layers.${layer}.norm${sublayer}.`;
  const before = graph[inputs[0]].kind;
  if (before === 'transform') return 'transform.norm.';
  if (!embeddingNorm || !/^(tokens|embedding|positions)$/.test(before)) return `${stack}.norm.`;
  return kind === 'encoder-decoder' ? `${stack === 'encoder' ? 'src' : 'tgt'}_emb_ln.` : 'emb_ln.';
}

/**
 * A direction before a norm that keeps the scale which it had: of x / scale * gain, and with LayerNorm of x minus its
 * mean.
 * @param {Float64Array} direction @param {string} prefix @param {import('./config.js').Config} config
 * @param {Reader} reads
 */
function throughNorm(direction, prefix, { normKind, epsilon }, reads) {
  const isRms = normKind === 'rms';
  const square = reads.statistic(`${prefix}${isRms ? 'mean_square' : 'variance'}`);
  const gain = reads.weight(`${prefix}weight`);
  const scale = Math.sqrt(square + Number(epsilon));
  const scaled = direction.map((each, i) => (each * (gain ? gain[i] : 1)) / scale);
  if (isRms) return scaled;
  const mean = scaled.reduce((a, b) => a + b) / scaled.length;
  return scaled.map((each) => each - mean);
}
