// The work of `startup` in a fresh process: from just before the package is imported to the first result.

/**
 * @param {{variant: 'simd' | 'relaxed', settle: number}} options settle: milliseconds to wait first
 * @returns {Promise<Record<string, number>>} milliseconds of each part, in the order they happen, and of all
 */
export default async function start({ variant, settle }) {
  const compile = watch('compile');
  const instantiate = watch('instantiate');
  const vectors = { data: new Float32Array(16 * 64).map((_, i) => Math.sin(i)), shape: [16, 64] };
  await new Promise((resolve) => {
    setTimeout(resolve, settle);
  });

  const started = performance.now();
  const { load } = await import(`../../dist/js/${globalThis.process ? 'node' : 'index'}.js`);
  const imported = performance.now();
  const gf = await load({ variant });
  const loaded = performance.now();
  const model = gf.createModel({ kind: 'encoder', vocabulary: 0, d_model: 64, heads: 4, d_ff: 256, layers: 2 });
  const created = performance.now();
  const { output } = model.forward({ vectors });
  const done = performance.now();

  if (!output.data.every(Number.isFinite)) throw new Error('the first result is not finite');
  return {
    import: imported - started,
    'fetch, inflate': (compile.from ?? instantiate.from) - imported,
    compile: compile.spent,
    instantiate: instantiate.spent,
    settings: loaded - instantiate.to,
    createModel: created - loaded,
    forward: done - created,
    all: done - started,
  };
}

/**
 * Notes when the package calls a function of WebAssembly, and when that has answered.
 * @param {'compile' | 'instantiate'} name
 */
function watch(name) {
  const original = WebAssembly[name];
  const seen = { from: undefined, to: undefined, spent: 0 };
  WebAssembly[name] = async (...given) => {
    seen.from = performance.now();
    const result = await original(...given);
    seen.to = performance.now();
    seen.spent = seen.to - seen.from;
    return result;
  };
  return seen;
}
