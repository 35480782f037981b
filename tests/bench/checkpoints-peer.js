// A large model, and in onnxruntime-web the ONNX file that it exports: the same passes, in turn, in Node or in a page.
import { TOKENS, idsOf, tokenTimes } from './checkpoints-use.js';
import { median, paired, processor, wall } from './harness.js';

const inPage = typeof document === 'object';
const ORT = inPage ? '/tests/bench/node_modules/onnxruntime-web/dist/ort.wasm.bundle.min.mjs' : 'onnxruntime-web';
const OURS = `../../dist/js/${inPage ? 'index' : 'node'}.js`;
const THREADS = '../../dist/js/worker.js';

/** @typedef {{ours: number, ort: number, ratio: number}} Row */

/** Of the largest logit; both add in float32, in another order. */
const TOLERANCE = 2e-5;

/**
 * @param {{variant: 'simd' | 'auto', folder: string, tokens: number, threads: number,
 *   timing: Parameters<typeof paired>[1]}} options folder: its address; threads: of ORT, which fixes their number
 * @returns {Promise<{variant: string, bytes: number, exported: number, created: number, one?: Row, two: Row,
 *   token?: number, difference: number}>} seconds of the export and of making ORT's session; `one` thread of ours
 *   beside one of ORT, and a `token`, in milliseconds of the processor, `two` in those that pass
 */
export default async function peer({ variant, folder, tokens, threads, timing }) {
  const { load } = await import(OURS);
  const { InferenceSession, Tensor, env } = await import(ORT);
  env.wasm.numThreads = threads;
  env.logLevel = 'error';
  const gf = await load({ variant });
  const address = new URL(folder, inPage ? location.href : undefined);
  const { model } = await gf.loadModel(address);
  const ids = idsOf(model.config.vocabulary);
  let start = performance.now();
  const lap = () => {
    const [from, now] = [start, performance.now()];
    start = now;
    return (now - from) / 1e3;
  };
  let file = await model.save({ format: 'onnx' });
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
  /** @param {any} own @param {() => number} clock @returns {Promise<Row>} */
  async function beside(own, clock) {
    const passes = await paired(
      {
        ours: () => own.forward({ ids: ids.with(0, turn++ % 2) }),
        ort: async () => (await session.run(feeds())).logits.data,
      },
      { ...timing, clock },
    );
    const ratio = median(passes.ort.samples.map((ms, round) => ms / passes.ours.samples[round]));
    return { ours: passes.ours.median, ort: passes.ort.median, ratio };
  }
  const alone = threads === 1 && {
    one: await beside(model, processor),
    token: median(tokenTimes(model, ids, tokens, processor)),
  };
  model.free();
  const cut = await (await import(THREADS)).load({ variant, threads: 2 });
  const two = await beside((await cut.loadModel(address)).model, wall);
  cut.terminate();
  return { variant: gf.variant, bytes, exported, created, ...alone, two, difference };
}
