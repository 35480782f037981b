// The work of `training` in each engine: the steps of two small models, part by part, or a whole recipe.
import { load } from '../../dist/js/index.js';
import { translate } from '../../dist/tasks/index.js';
import { median, paired, processor } from './harness.js';

const SHAPE = { d_model: 64, heads: 4, d_ff: 256, layers: 2, decoderLayers: 2, vocabulary: 64 };

/** As PyTorch ran them: see the notes of training.js. */
const MODELS = {
  GPT: {
    config: {
      ...SHAPE,
      kind: 'decoder',
      head: 'tied',
      norm: 'pre',
      activation: 'gelu',
      positions: 'learned',
      maxLength: 32,
    },
    B: 16,
    T: 32,
  },
  'encoder–decoder': { config: { ...SHAPE, kind: 'encoder-decoder', head: 'linear' }, B: 32, T: 16 },
};

/**
 * @param {{recipe?: boolean, effort?: object}} options
 * @returns {Promise<Record<string, any>>} by variant that this engine runs; see `steps` and `recipe`
 */
export default async function train({ recipe, effort }) {
  const engines = [];
  for (const variant of /** @type {const} */ (['simd', 'relaxed'])) {
    try {
      engines.push(await load({ variant }));
    } catch (error) {
      if (error.code !== 'unsupported') throw error;
    }
  }
  // The recipe lasts long, so it is given to the best of them only.
  return recipe ? runRecipe(engines.at(-1)) : steps(engines, effort);
}

/**
 * Each call does what the one before it does and one thing more: their differences are the parts. All are timed against
 * each other, in both variants.
 * @returns {Promise<{model: string, variant: string, flops: number, tokens: number, median: number, least: number,
 *   forward: number, backward: number, optimiser: number}[]>} milliseconds of a step and of its parts
 */
async function steps(engines, effort) {
  const rows = [];
  for (const [title, { config, B, T }] of Object.entries(MODELS)) {
    const calls = {};
    const models = engines.map((gf) => gf.createModel({ ...config, seed: 7 }));
    models.forEach((model, i) => {
      const trainer = model.trainer({ learningRate: 1e-4 });
      const ids = {
        data: Int32Array.from({ length: B * T }, (_, at) => (at * at + 7 * at) % SHAPE.vocabulary),
        shape: [B, T],
      };
      const inputs = config.kind === 'encoder-decoder' ? { sourceIds: ids, targetIds: ids } : { ids };
      const batch = { ...inputs, labels: ids };
      for (const part of ['loss', 'gradients', 'step']) calls[`${part} ${i}`] = () => trainer[part](batch);
    });
    const times = await paired(calls, { ...effort, clock: processor });
    models.forEach((model, i) => {
      const [loss, gradients, step] = ['loss', 'gradients', 'step'].map((part) => times[`${part} ${i}`]);
      rows.push({
        model: title,
        variant: engines[i].variant,
        flops: flopsOf(model, B, T),
        tokens: B * T,
        median: step.median,
        least: step.min,
        forward: loss.median,
        backward: beyond(gradients, loss),
        optimiser: beyond(step, gradients),
      });
    });
  }
  return rows;
}

/**
 * The time of one call beyond another: the median of the rounds' differences, which are small beside the drift of both.
 */
const beyond = (more, less) => median(more.samples.map((ms, round) => ms - less.samples[round]));

/**
 * Six for each weight of a matrix and token (two forward, four backward), and three times attention's two products.
 * Causal attention is counted in full, although half of it need not be computed.
 */
function flopsOf(model, B, T) {
  const { head, d_model: C, layers, decoderLayers, kind } = model.config;
  const isRead = ({ name, shape }) =>
    (/emb\.weight$/.test(name) && (head !== 'tied' || !isOutput(name))) || shape.length < 2;
  const isOutput = (name) => name === (kind === 'encoder-decoder' ? 'tgt_emb.weight' : 'tok_emb.weight');
  const weights = model
    .tensors()
    .filter((tensor) => tensor.region === 'weight' && !isRead(tensor))
    .reduce((sum, { shape: [rows, columns] }) => sum + rows * columns, 0);
  const attentions = kind === 'encoder-decoder' ? layers + 2 * decoderLayers : layers;
  return 6 * weights * B * T + 3 * attentions * 4 * B * T * T * C;
}

/** Trains `translate` as its recipe says, the making of batches included. */
function runRecipe(gf) {
  const ran = processor();
  const started = performance.now();
  const model = gf.createModel({ ...translate.config, seed: 0 });
  const trainer = model.trainer(translate.trainer);
  const batches = translate.batches(0);
  let loss = NaN;
  while (trainer.steps < translate.trainer.steps) ({ loss } = trainer.step(batches.next().value));
  return {
    variant: gf.variant,
    steps: trainer.steps,
    loss,
    seconds: (performance.now() - started) / 1000,
    ran: (processor() - ran) / 1000,
  };
}
