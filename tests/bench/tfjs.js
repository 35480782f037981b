// tfjs-backend-wasm as a contestant, on one thread. It has no graph: a layer is its calls, one after the other.

/** @typedef {import('./workloads.js').Workload} Workload */

/**
 * Both packages in Node or, where `script` loads one by its URL, in a page.
 * @param {(file: string) => Promise<unknown>} [script]
 */
async function open(script) {
  if (script) {
    await script('@tensorflow/tfjs-core/dist/tf-core.min.js');
    await script('@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js');
    return {
      tf: globalThis.tf,
      wasm: globalThis.tf.wasm,
      folder: '/tests/bench/node_modules/@tensorflow/tfjs-backend-wasm/dist/',
    };
  }
  const { createRequire } = await import('node:module');
  const require = createRequire(import.meta.url),
    main = require.resolve('@tensorflow/tfjs-backend-wasm');
  return { tf: require('@tensorflow/tfjs-core'), wasm: require(main), folder: main.replace(/[^/]+$/, '') };
}

/**
 * @param {(file: string) => Promise<unknown>} [script]
 * @returns {Promise<(workload: Workload, problem: ReturnType<typeof import('./workloads.js').problem>) =>
 *   Record<string, import('./ours.js').Contestant>>}
 */
export async function tfjs(script) {
  const { tf, wasm, folder } = await open(script);
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  tf.env().set('IS_TEST', false);
  wasm.setWasmPaths(folder);
  if (!(await tf.setBackend('wasm'))) throw new Error('tfjs: no wasm backend');
  await tf.ready();

  const layerNorm = (x, weight, bias) => {
    const centred = tf.sub(x, tf.mean(x, -1, true));
    const variance = tf.mean(tf.square(centred), -1, true);
    return tf.add(tf.mul(tf.mul(centred, tf.rsqrt(tf.add(variance, 1e-5))), weight), bias);
  };
  const linear = (x, [weight, bias], activation) => tf.fused.matMul({ a: x, b: weight, bias, activation });
  const gelu = (x) => tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1));
  const attend = (query, key, value, { B, T, C, H }) => {
    const D = C / H;
    const [split, order] = B
      ? [
          [B, T, H, D],
          [0, 2, 1, 3],
        ]
      : [
          [T, H, D],
          [1, 0, 2],
        ];
    const heads = (y) => tf.transpose(tf.reshape(y, split), order);
    const scores = tf.mul(tf.matMul(heads(query), heads(key), false, true), 1 / Math.sqrt(D));
    return tf.reshape(tf.transpose(tf.matMul(tf.softmax(scores), heads(value)), order), [(B ?? 1) * T, C]);
  };
  const attention = (x, { q, k, v, out }, size) => linear(attend(linear(x, q), linear(x, k), linear(x, v), size), out);
  const feedForward = (x, { linear1, linear2 }, isGelu = false) =>
    linear(isGelu ? gelu(linear(x, linear1)) : linear(x, linear1, 'relu'), linear2);

  /** Weights of one layer, each matrix as (in,out), which is what XNNPACK takes without a copy. */
  const weightsOf = (w, at, attentionAt, { C, F }) => {
    const pair = (weight, bias, N, K) => [
      tf.keep(tf.tidy(() => tf.transpose(tf.tensor2d(weight, [N, K])))),
      tf.tensor1d(bias),
    ];
    const own = {};
    if (w[`${attentionAt}in_proj_weight`]) {
      ['q', 'k', 'v'].forEach((name, i) => {
        own[name] = pair(
          w[`${attentionAt}in_proj_weight`].slice(i * C * C, (i + 1) * C * C),
          w[`${attentionAt}in_proj_bias`].slice(i * C, (i + 1) * C),
          C,
          C,
        );
      });
      own.out = pair(w[`${attentionAt}out_proj.weight`], w[`${attentionAt}out_proj.bias`], C, C);
    }
    if (w[`${at}linear1.weight`]) {
      own.linear1 = pair(w[`${at}linear1.weight`], w[`${at}linear1.bias`], F, C);
      own.linear2 = pair(w[`${at}linear2.weight`], w[`${at}linear2.bias`], C, F);
    }
    for (const norm of ['norm1', 'norm2']) {
      if (w[`${at}${norm}.weight`])
        own[norm] = ['weight', 'bias'].map((name) => tf.tensor1d(w[`${at}${norm}.${name}`]));
    }
    return own;
  };

  /** Computes the workload from its first input. */
  const program = ({ kind, size, fresh, gelu: isGelu }, { w }) => {
    const { K, N } = size;
    if (kind === 'matmul') {
      const b = fresh ? undefined : tf.tensor2d(w.b, [K, N]);
      return (x) => tf.matMul(x, b ?? tf.tensor2d(w.b, [K, N]));
    }
    if (kind === 'heads') {
      const [key, value] = [w.key, w.value].map((data) => tf.tensor2d(data, [size.T, size.C]));
      return (x) => attend(x, key, value, size);
    }
    if (kind === 'softmax') return (x) => tf.softmax(x);
    if (kind === 'layerNorm') {
      const weight = tf.tensor1d(w.weight),
        bias = tf.tensor1d(w.bias);
      return (x) => layerNorm(x, weight, bias);
    }
    if (kind === 'gelu') return gelu;
    const layers = Array.from({ length: size.layers ?? 1 }, (_, l) =>
      kind === 'encoder'
        ? weightsOf(w, `encoder.layers.${l}.`, `encoder.layers.${l}.self_attn.`, size)
        : weightsOf(w, '', '', size),
    );
    if (kind === 'attention') return (x) => attention(x, layers[0], size);
    if (kind === 'feed-forward') return (x) => feedForward(x, layers[0]);
    return (x) =>
      layers.reduce((h, own) => {
        const middle = layerNorm(tf.add(h, attention(h, own, size)), ...own.norm1);
        return layerNorm(tf.add(middle, feedForward(middle, own, isGelu)), ...own.norm2);
      }, x);
  };

  return (workload, problem) => {
    const {
      kind,
      size: { M, K, R, B = 1, T, C },
      fresh,
    } = workload;
    const compute = program(workload, problem);
    const input = () => tf.tensor2d(problem.x, kind === 'matmul' ? [M, K] : [R ?? B * T, C]);
    // Read outside of tidy, which walks through every number of an array that it is to return.
    const whole = () => {
      const y = tf.tidy(() => compute(input())),
        result = y.dataSync();
      y.dispose();
      return result;
    };
    const alone = kind in { matmul: 1, softmax: 1, layerNorm: 1, gelu: 1, heads: 1 };
    if (!alone || fresh) return { [alone ? ', arrays' : '']: { call: whole, result: whole } };
    const x = input();
    return {
      '': { call: () => tf.dispose(tf.tidy(() => compute(x))), result: whole },
      ', arrays': { call: whole, result: whole },
    };
  };
}
