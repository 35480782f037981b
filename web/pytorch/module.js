// The Transformer of a configuration as a module of PyTorch, in Python.

import { ACTIVATIONS } from './activations.js';

/** @typedef {Record<string, any>} Config all settings of a model */

const indent = (/** @type {string[]} */ ...lines) => lines.map((line) => `        ${line}`);

/**
 * Whether PyTorch's own layers say all of it. They drop attention weights and activations too, which these models do
 * not.
 * @param {Config} config @param {boolean} drops whether it has dropout
 */
export const isPlain = ({ norm, normAffine, residual, scoreScale, attentionBias, d_ff, window }, drops) =>
  norm !== 'none' && normAffine && residual && scoreScale && attentionBias && d_ff > 0 && !window && !drops;

/**
 * How far each layer's self-attention sees, as src/model/config.h has it; 0: all.
 * @param {Config} config @param {number} layers
 */
export const windowsOf = ({ window, globalLayers, globalLayersAbove }, layers) =>
  Array.from({ length: layers }, (_, i) =>
    ((i < 32 ? globalLayers : globalLayersAbove) >>> (i % 32)) & 1 ? 0 : window,
  );

/** What a window adds to a mask. @param {Config} config */
export const windowed = ({ window }) =>
  window
    ? [
        `def within(window, hidden, length):`,
        `    """\`hidden\`, and what is \`window\` or more places away; 0: no window."""`,
        `    place = torch.arange(length, device=hidden.device)`,
        `    return hidden | ((place[:, None] - place).abs() >= window) if window else hidden`,
        ``,
        ``,
      ]
    : [];

/** @param {Config} config */
const layerNorm = ({ epsilon, normAffine }) =>
  `nn.LayerNorm(D, eps=${epsilon}${normAffine ? '' : ', elementwise_affine=False'})`;

/**
 * Layers made of PyTorch's smaller parts, as a switch sets them.
 * @param {Config} config
 * @param {{drops: boolean, cross: boolean, hides: boolean, empties?: boolean}} how `cross`: with those of a decoder
 *   beside an encoder; `hides`: whether some attention has a mask; `empties`: which may hide all of a row
 */
export function ownLayers(config, { drops, cross, hides, empties }) {
  const { d_ff, norm, residual, attentionBias } = config;

  /** @param {string} sublayer what it computes of @ @param {string} name of its norm */
  function sum(sublayer, name) {
    const branch = sublayer.replace('@', norm === 'pre' ? `self.${name}(x)` : 'x');
    const out = drops ? `drop(${branch})` : branch;
    const total = residual ? `x + ${out}` : out;
    return norm === 'post' ? `self.${name}(${total})` : total;
  }

  const inner = (ACTIVATIONS[config.activation] ?? '@').replace('@', 'self.linear1(@)');
  const bias = attentionBias ? ', self.in_proj_bias' : '';

  /** @param {string} name @param {boolean} isCross */
  function layer(name, isCross) {
    const attentions = isCross ? ['self_attn', 'multihead_attn'] : ['self_attn'];
    const sublayers = attentions.length + (d_ff ? 1 : 0);
    const norms = norm === 'none' ? [] : ['norm1', 'norm2', 'norm3'].slice(0, sublayers);
    return [
      `class ${name}(nn.Module):`,
      `    def __init__(self):`,
      `        super().__init__()`,
      ...attentions.map((each) => `        self.${each} = Attention()`),
      ...(d_ff ? indent(`self.linear1 = Linear(D, FF)`, `self.linear2 = Linear(FF, D)`) : []),
      ...norms.map((each) => `        self.${each} = ${layerNorm(config)}`),
      ``,
      isCross ? `    def forward(self, x, memory, hidden, memory_hidden):` : `    def forward(self, x, hidden):`,
      `        x = ${sum('self.self_attn(@, hidden)', 'norm1')}`,
      ...(isCross ? indent(`x = ${sum('self.multihead_attn(@, memory_hidden, memory)', 'norm2')}`) : []),
      ...(d_ff ? indent(`x = ${sum(`self.linear2(${inner})`, `norm${sublayers}`)}`) : []),
      `        return x`,
      ``,
      ``,
    ];
  }

  const scale = config.scoreScale ? ' / math.sqrt(D // HEADS)' : '';
  const masked = empties
    ? ['scores = scores.masked_fill(hidden, -1e30)  # -inf where all is hidden gives NaN, which 0 below shall be']
    : ['scores = scores.masked_fill(hidden, -math.inf)'];
  const guarded = cross ? [`if hidden is not None:`, ...masked.map((line) => `    ${line}`)] : masked;
  const zeroed = [`weights = scores.softmax(3)`];
  if (empties && cross) zeroed.push(`if hidden is not None:`, `    weights = weights.masked_fill(hidden, 0.0)`);
  else if (empties) zeroed.push(`weights = weights.masked_fill(hidden, 0.0)`);
  const weights = empties ? 'weights' : 'scores.softmax(3)';
  return [
    ...(drops ? [`def drop(x):`, `    return F.dropout(x, settings["dropout"])`, ``, ``] : []),
    `class Attention(nn.Module):`,
    `    def __init__(self):`,
    `        super().__init__()`,
    `        self.in_proj_weight = nn.Parameter(torch.cat([xavier(D, D) for _ in range(3)]))`,
    ...(attentionBias ? indent(`self.in_proj_bias = nn.Parameter(torch.zeros(3 * D))`) : []),
    `        self.out_proj = Linear(D, D${attentionBias ? '' : ', bias=False'})`,
    ``,
    ...(cross
      ? [
          `    def forward(self, x, hidden, memory=None):`,
          `        B, T, _ = x.shape`,
          `        q, _, _ = F.linear(x, self.in_proj_weight${bias}).chunk(3, 2)`,
          `        _, k, v = F.linear(x if memory is None else memory, self.in_proj_weight${bias}).chunk(3, 2)`,
          `        q, k, v = (each.reshape(B, -1, HEADS, D // HEADS).transpose(1, 2) for each in (q, k, v))`,
        ]
      : [
          `    def forward(self, x, hidden):`,
          `        B, T, _ = x.shape`,
          `        projected = F.linear(x, self.in_proj_weight${bias})`,
          `        q, k, v = projected.view(B, T, 3, HEADS, D // HEADS).permute(2, 0, 3, 1, 4)`,
        ]),
    `        scores = q @ k.transpose(2, 3)${scale}`,
    ...(hides ? indent(...guarded) : []),
    ...(empties ? indent(...zeroed) : []),
    `        return self.out_proj((${weights} @ v).transpose(1, 2).reshape(B, T, D))`,
    ``,
    ``,
    ...layer('Layer', false),
    ...(cross ? layer('DecoderLayer', true) : []),
  ];
}

/**
 * Where sinusoidal positions come from.
 * @param {Config} config @param {string} device '' where there is but one
 */
export const sinusoids = ({ positions }, device) =>
  positions === 'sinusoidal'
    ? [
        `def sinusoids(length${device && ', device'}):`,
        `    place = torch.arange(length, dtype=torch.float64)[:, None]`,
        `    angle = place * torch.exp(-torch.arange(0, D, 2, dtype=torch.float64) / D * math.log(10000))`,
        `    return torch.stack([angle.sin(), angle.cos()], 2).flatten(1)[:, :D].float()${device && '.to(device)'}`,
        ``,
        ``,
      ]
    : [];

/**
 * The table of an embedding and what belongs to it.
 * @param {Config} config
 * @param {{prefix?: string, table?: string, size?: string}} [names] of its parts; no table where there is another's
 */
export const embeddingOf = (config, { prefix = '', table = 'tok_emb', size = 'WORDS' } = {}) => [
  ...(table
    ? indent(`self.${table} = nn.Embedding(${size}, D)`, `nn.init.normal_(self.${table}.weight, std=D**-0.5)`)
    : []),
  ...(config.positions === 'learned'
    ? indent(
        `self.${prefix}pos_emb = nn.Embedding(${config.maxLength}, D)`,
        `nn.init.normal_(self.${prefix}pos_emb.weight, std=D**-0.5)`,
      )
    : []),
  ...(config.embeddingNorm ? indent(`self.${prefix}emb_ln = ${layerNorm(config)}`) : []),
];

/**
 * What a stack is given: the rows of the table with positions.
 * @param {Config} config
 * @param {{prefix?: string, table?: string, x?: string, ids?: string, device?: string, drops: boolean}} names
 */
export const embedded = (config, { prefix = '', table = 'tok_emb', x = 'x', ids = 'ids', device = '', drops }) => [
  ...indent(`${x} = self.${table}(${ids})${config.embeddingScale ? ' * math.sqrt(D)' : ''}`),
  ...(config.positions === 'sinusoidal' ? indent(`${x} = ${x} + sinusoids(${ids}.shape[1]${device})`) : []),
  ...(config.positions === 'learned' ? indent(`${x} = ${x} + self.${prefix}pos_emb.weight[: ${ids}.shape[1]]`) : []),
  ...(config.embeddingNorm ? indent(`${x} = self.${prefix}emb_ln(${x})`) : []),
  ...(drops ? indent(`${x} = drop(${x})`) : []),
];

/** The output head's own weights. @param {Config} config @param {string} size of the output vocabulary */
export const headOf = (config, size) => [
  ...(config.headTransform
    ? indent(
        `self.transform = nn.Module()`,
        `self.transform.dense = nn.Linear(D, D)`,
        `self.transform.norm = ${layerNorm(config)}`,
      )
    : []),
  ...outputOf(config, size),
];

/** @param {Config} config @param {string} size */
const outputOf = ({ head, headBias }, size) => [
  ...(head === 'tied' && !headBias
    ? []
    : indent(`self.generator = nn.Module()${head === 'tied' ? '  # its table is that of the embedding' : ''}`)),
  ...(head === 'tied' ? [] : indent(`self.generator.weight = nn.Parameter(xavier(${size}, D))`)),
  ...(headBias ? indent(`self.generator.bias = nn.Parameter(torch.zeros(${size}))`) : []),
];

/** @param {Config} config @param {string} table the embedding that a tied head uses */
export function logitsOf({ head, headBias, headTransform, activation }, table) {
  const weight = `self.${head === 'tied' ? table : 'generator'}.weight`;
  const inner = (ACTIVATIONS[activation] ?? '@').replace('@', 'self.transform.dense(x)');
  return [
    ...(headTransform ? indent(`x = self.transform.norm(${inner})`) : []),
    ...indent(`return F.linear(x, ${weight}${headBias ? ', self.generator.bias' : ''})`),
  ];
}

/**
 * A stack of own layers.
 * @param {Config} config @param {string} name @param {string} [layer] @param {string} [count]
 */
export const ownStack = (config, name, layer = 'Layer', count = 'LAYERS') => [
  ...indent(`self.${name} = nn.Module()`, `self.${name}.layers = nn.ModuleList([${layer}() for _ in range(${count})])`),
  ...(config.finalNorm ? indent(`self.${name}.norm = ${layerNorm(config)}`) : []),
];

/** A stack of PyTorch's own. @param {Config} config @param {string} name @param {string} kind @param {string} count */
export const plainStack = (config, name, kind, count) => [
  ...indent(
    `layer = nn.Transformer${kind}Layer(`,
    `    D, HEADS, FF, dropout=0.0, activation=${activationOf(config)}, layer_norm_eps=${config.epsilon},`,
    `    batch_first=True, norm_first=${config.norm === 'pre' ? 'True' : 'False'},`,
    `)`,
  ),
  ...indent(
    `self.${name} = nn.Transformer${kind}(layer, ${count}${config.finalNorm ? `, norm=${layerNorm(config)}` : ''}` +
      `${kind === 'Encoder' ? ', enable_nested_tensor=False' : ''})`,
  ),
];

/** What a layer of PyTorch's takes. @param {Config} config */
export function activationOf({ activation }) {
  if (activation === 'none') return 'nn.Identity()';
  const call = ACTIVATIONS[activation];
  return call.endsWith('(@)') ? call.slice(0, -3) : `lambda x: ${call.replace('@', 'x')}`;
}
