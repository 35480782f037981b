// A large model, and in onnxruntime-web the ONNX file that it exports: the same passes, in turn, in Node or in a page.
import { TOKENS, idsOf, tokenTimes } from './checkpoints-use.js';
import { median, paired, processor } from './harness.js';

const inPage = typeof document === 'object';
const ORT = inPage ? '/tests/bench/node_modules/onnxruntime-web/dist/ort.wasm.bundle.min.mjs' : 'onnxruntime-web';
const OURS = `../../dist/js/${inPage ? 'index' : 'node'}.js`;

/** Of the largest logit; both add in float32, in another order. */
const TOLERANCE = 2e-5;

/**
 * @param {{variant: 'simd' | 'auto', folder: string, tokens: number, timing: Parameters<typeof paired>[1]}} options
 *   folder: its address
 * @returns {Promise<{variant: string, bytes: number, exported: number, created: number, ours: number, ort: number,
 *   ratio: number, token: number, difference: number}>} seconds of the export and of making ORT's session, and
 *   milliseconds of the processor
 */
export default async function peer({ variant, folder, tokens, timing }) {
  const { load } = await import(OURS);
  const { InferenceSession, Tensor, env } = await import(ORT);
  env.wasm.numThreads = 1;
  env.logLevel = 'error';
  const gf = await load({ variant });
  const { model } = await gf.loadModel(new URL(folder, inPage ? location.href : undefined));
  const ids = idsOf(model.config.vocabulary);
  let start = performance.now();
  const lap = () => {
    const [from, now] = [start, performance.now()];
    start = now;
    return (now - from) / 1e3;
  };
  let file = await gf.exportOnnx(model);
  const exported = lap();
  const bytes = file.byteLength;
  const session = await InferenceSession.create(file, { graphOptimizationLevel: 'all' });
  file = null;
  const created = lap();
  const feeds = () => ({ ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, TOKENS]) });

  const wanted = model.forward({ ids }).logits.data;
  const got = (await session.run(feeds())).logits.data;
  const largest = wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const worst = wanted.reduce((most, value, i) => Math.max(most, Math.abs(value - got[i])), 0);
  const difference = worst / largest;
  if (!(difference <= TOLERANCE) || got.length !== wanted.length)
    throw new Error(`logits differ by ${difference} of the largest, ${TOLERANCE} is allowed`);

  let turn = 0; // another first token each time: else nothing is new
  const passes = await paired(
    {
      ours: () => model.forward({ ids: ids.with(0, turn++ % 2) }),
      ort: async () => (await session.run(feeds())).logits.data,
    },
    { ...timing, clock: processor },
  );
  const ratio = median(passes.ort.samples.map((ms, round) => ms / passes.ours.samples[round]));
  const token = median(tokenTimes(model, ids, tokens, processor));
  const [ours, ort] = [passes.ours.median, passes.ort.median];
  return { variant: gf.variant, bytes, exported, created, ours, ort, ratio, token, difference };
}
