// The way of the data through a model, as the module's own list of tensors tells it: the stations of
// each stack in their order, and which of them are states of the residual stream.

/**
 * @typedef {'encoder' | 'decoder'} Stack
 * @typedef {'tokens' | 'embedding' | 'positions' | 'attention' | 'add' | 'norm' | 'ffn' | 'logits' |
 *   'probabilities'} Station
 *
 * `sublayer`: its name in the module; `place`: numbers the sublayers of a layer from 1, as PyTorch numbers its
 * norms; 0 outside the layers.
 * `tensor`: what comes out; `before`: what a norm reads; `stream`: what comes out is the stream;
 * `around`: a residual line leads from before this sublayer to behind it.
 * @typedef {{
 *   part: Station, kind: Stack | 'cross', layer: number | null, place: number, label: string,
 *   sublayer: string | null, tensor: string | null, before: string | null, stream: boolean, around: boolean,
 * }} Step
 */

const SUBLAYERS = /** @type {const} */ ([
  { name: 'self_attn', part: 'attention', label: 'Attention' },
  { name: 'multihead_attn', part: 'attention', label: 'Cross-attention' },
  { name: 'ffn', part: 'ffn', label: 'FFN' },
]);

/**
 * @param {readonly string[]} tensors of a run with capture
 * @param {boolean} pre LayerNorm stands before its sublayer
 * @returns {{encoder: Step[] | null, decoder: Step[] | null}}
 */
export function wayOf(tensors, pre) {
  const names = new Set(tensors);
  const last = names.has('decoder.input') ? 'decoder' : 'encoder';
  /** @param {Stack} stack */
  const way = (stack) =>
    names.has(`${stack}.input`) ? stackWay(names, stack, pre, stack === last && names.has('logits')) : null;
  return { encoder: way('encoder'), decoder: way('decoder') };
}

/**
 * @param {Set<string>} names
 * @param {Stack} stack
 * @param {boolean} pre
 * @param {boolean} answers the stack's output becomes logits
 */
function stackWay(names, stack, pre, answers) {
  /** @type {Step[]} */
  const steps = [];
  /** @param {Pick<Step, 'part' | 'label' | 'tensor'> & Partial<Step>} step */
  const push = (step) =>
    void steps.push({
      kind: stack,
      layer: null,
      place: 0,
      sublayer: null,
      before: null,
      stream: false,
      around: false,
      ...step,
    });
  push({ part: 'tokens', label: 'Tokens', tensor: null });
  push({ part: 'embedding', label: 'Embedding', tensor: `${stack}.embedding`, stream: true });
  if (names.has(`${stack}.positions`))
    push({ part: 'positions', label: '+ Positions', tensor: `${stack}.input`, stream: true });
  let stream = `${stack}.input`;
  for (let layer = 0; names.has(`${stack}.layers.${layer}.self_attn.out`); layer++) {
    const prefix = `${stack}.layers.${layer}.`;
    SUBLAYERS.filter(({ name }) => names.has(`${prefix}${name}.out`)).forEach(({ name, part, label }, i) => {
      const place = i + 1;
      const out = `${prefix}${name}.out`;
      const sum = names.has(`${prefix}residual${place}`) ? `${prefix}residual${place}` : null;
      const norm = names.has(`${prefix}norm${place}.out`) ? `${prefix}norm${place}.out` : null;
      /** @type {Partial<Step>} */
      const of = {
        layer,
        place,
        kind: name === 'multihead_attn' ? 'cross' : stack,
        sublayer: name,
        around: sum !== null,
      };
      if (norm && pre) push({ ...of, part: 'norm', label: 'Norm', tensor: norm, before: stream });
      push({ ...of, part, label, tensor: out, stream: !sum && (pre || !norm) });
      if (sum && (pre || !norm)) push({ ...of, part: 'add', label: 'Add', tensor: sum, stream: true });
      if (norm && !pre)
        push({
          ...of,
          part: 'norm',
          label: sum ? 'Add & norm' : 'Norm',
          tensor: norm,
          before: sum ?? out,
          stream: true,
        });
      stream = norm && !pre ? norm : (sum ?? out);
    });
  }
  if (names.has(`${stack}.norm.out`))
    push({ part: 'norm', label: 'Final norm', tensor: `${stack}.norm.out`, before: stream, stream: true });
  if (answers) {
    push({ part: 'logits', label: 'Logits', tensor: 'logits' });
    push({ part: 'probabilities', label: 'Probabilities', tensor: null });
  }
  return steps;
}
