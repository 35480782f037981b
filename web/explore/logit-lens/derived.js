// The logit lens (nostalgebraist 2020): what the model would already answer if it stopped after a
// layer. The stream there goes through the final norm, if there is one, and the output table.

/** How many words of each answer are kept. */
const TOP = 5;

/**
 * `ids` and `probabilities`: tokens × `top`, the likeliest first.
 * @typedef {{title: string, ids: Int32Array, probabilities: Float32Array}} Stage
 * @typedef {{stack: 'encoder' | 'decoder', normed: boolean, top: number, stages: Stage[]}} Lens
 */

/** @param {import('../../engine/derived.js').Context} context @returns {Lens | {absent: true}} */
export function lens({ gf, model }) {
  const { head, headBias, tiedEmbeddings, kind, finalNorm, normAffine, epsilon, layers, decoderLayers } = model.config;
  if (head === 'none') return { absent: true };
  const both = kind === 'encoder-decoder';
  const stack = kind === 'encoder' ? 'encoder' : 'decoder';
  /** @param {string} name */
  const tensor = (name) => /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(name));
  const table = tensor(
    head === 'linear' ? 'generator.weight' : `${!both ? 'tok' : tiedEmbeddings ? 'src' : 'tgt'}_emb.weight`,
  );
  const bias = headBias ? tensor('generator.bias').data : null;

  /** @param {string} name of a state of the stream */
  function answer(name) {
    let { data, shape } = tensor(name);
    shape = shape.slice(-2);
    if (finalNorm) {
      const affine = normAffine ? { weight: tensor(`${stack}.norm.weight`), bias: tensor(`${stack}.norm.bias`) } : {};
      ({ data } = gf.layerNorm({ x: { data, shape }, ...affine, epsilon }).output);
    }
    const logits = gf.matmul({ a: { data, shape }, b: table, transposeB: true });
    const width = table.shape[0];
    if (bias) for (let i = 0; i < logits.data.length; i++) logits.data[i] += bias[i % width];
    return likeliest(gf.softmax({ x: logits }).data, width);
  }

  const count = both ? decoderLayers : layers;
  const stages = [
    { title: 'Input', name: `${stack}.input` },
    ...Array.from({ length: count }, (_, i) => ({ title: `Layer ${i + 1}`, name: `${stack}.layers.${i}.out` })),
  ];
  return {
    stack,
    normed: finalNorm,
    top: Math.min(TOP, table.shape[0]),
    stages: stages.map(({ title, name }) => ({ title, ...answer(name) })),
  };
}

/** @param {Float32Array} data rows of `width` @param {number} width */
function likeliest(data, width) {
  const top = Math.min(TOP, width);
  const ids = new Int32Array((data.length / width) * top);
  const probabilities = new Float32Array(ids.length);
  for (let row = 0; row * width < data.length; row++) {
    /** @type {number[]} */
    const best = [];
    for (let id = 0; id < width; id++) {
      const p = data[row * width + id];
      if (best.length === top && !(p > data[row * width + best[top - 1]])) continue;
      const before = best.findIndex((each) => data[row * width + each] < p);
      best.splice(before < 0 ? best.length : before, 0, id);
      best.length = Math.min(best.length, top);
    }
    best.forEach((id, i) => {
      ids[row * top + i] = id;
      probabilities[row * top + i] = data[row * width + id];
    });
  }
  return { ids, probabilities };
}
