// Which parameters and inputs of a reference case the runner has read: those that it passes over it has not computed.

/** Parameters that say how the tensors were made, or what they show themselves: the masks, the biases, their sizes. */
const SHOWN = new Set(
  (
    'shape batch B T Td Ts Tt Tq Tk Tmax M K N n d dh d_ff vocab scale offset const_row ninf ' +
    'additive_mask key_padding memory_key_padding src_key_padding tgt_key_padding affine bias cross family'
  ).split(' '),
);

/** Fields that gradients do not depend on, or that change no value of a forward pass. */
export const FORWARD_ONLY = ['params.greedy', 'params.parts', 'params.axis', 'params.start_pos', 'input.q', 'input.k'];

/**
 * A case whose parameters and inputs tell which of them were not read, objects' by name: params.rope_scaling.factor.
 * @template {{params: Record<string, any>, input: Record<string, any>}} C
 * @param {C} given
 * @param {readonly string[]} [spared] need not be read
 * @returns {C & {unread: () => string[]}}
 */
export function watched(given, spared = []) {
  /** @type {Set<string>} */
  const left = new Set();
  const isObject = (/** @type {unknown} */ value) => Object.prototype.toString.call(value) === '[object Object]';
  /** @param {Record<string, any>} object @param {string} path @param {boolean} deep @returns {any} */
  const watch = (object, path, deep) => {
    const inner = Object.entries(object).map(([name, value]) => {
      if (!SHOWN.has(name) && value !== undefined) left.add(path + name);
      return [name, deep && isObject(value) ? watch(value, `${path}${name}.`, deep) : value];
    });
    return new Proxy(Object.fromEntries(inner), {
      get(target, name) {
        left.delete(path + String(name));
        return target[String(name)];
      },
      ownKeys() {
        throw new Error(`${path}*: must be read by name`);
      },
    });
  };
  const params = watch(given.params, 'params.', true);
  return {
    ...given,
    params,
    input: watch(given.input, 'input.', false),
    unread: () => [...left].filter((name) => !spared.includes(name)),
  };
}

/**
 * Refuses a case of which a parameter is not what is computed here; one that is left out is.
 * @param {Record<string, any>} params
 * @param {Record<string, unknown>} computed
 */
export function only(params, computed) {
  for (const [name, value] of Object.entries(computed)) {
    const given = params[name] ?? value;
    if (given !== value) throw new Error(`params.${name}: ${JSON.stringify(given)} is not computed here`);
  }
}
