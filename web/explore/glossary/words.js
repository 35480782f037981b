// What the parts of the model, the symbols of the formulas and the legends mean, in a sentence each.

/** Nodes of the model graph by their labels. @type {Record<string, string>} */
export const NODES = {
  Tokens: 'The text in pieces, each by its number in the vocabulary.',
  Embedding: 'The row of a learned table that stands for the token: a vector.',
  '+ Positions': 'A vector that depends on the position alone is added, as attention does not see the order.',
  Attention: 'Every token gathers information from others: a sum of their values, each by its weight.',
  'Cross-attention': 'Every token of the decoder gathers information from the encoder’s output.',
  Add: 'The residual connection: what the sublayer computed is added to the vector that went in.',
  Norm: 'LayerNorm: mean 0 and variance 1 for each token, then a learned gain and bias.',
  'Add & norm': 'What the sublayer computed is added to the vector that went in; then LayerNorm.',
  'Final norm': 'The LayerNorm behind the last layer.',
  FFN: 'The feed-forward network: two matrices with an activation function between them, at each token alone.',
  Logits: 'One number for each token of the vocabulary: how well it fits here.',
  Probabilities: 'The softmax of the logits: all are positive, and they sum to 1.',
};

/** @type {Record<string, string>} */
const COMMON = {
  d: 'the number of dimensions of a vector',
  d_k: 'the number of dimensions of a query or a key: d_model divided by the number of heads',
  d_model: 'the number of dimensions of a token’s vector',
  e: 'Euler’s number, 2.718…',
  T: 'transposed: rows become columns',
  softmax: 'turns a row of scores into weights that are positive and sum to 1',
  x: 'a token’s vector',
  j: 'a dimension of the vector',
  f: 'the activation function, at each number alone',
};

/** @type {Record<string, string>} */
const ATTENTION = {
  ...COMMON,
  Attention: 'the output of a head: for each token a weighted sum of values',
  Q: 'the queries, one row for each token that attends',
  K: 'the keys, one row for each token that is attended to',
  V: 'the values, one row for each token that is attended to',
  q: 'the query: what this token looks for',
  k: 'the key: what that token offers to be found by',
  v: 'the value: what that token passes on',
  d: 'a dimension of the head',
  s: 'a key of the row, one after the other',
  m: 'the scaled score after the mask',
  max: 'the largest score of the row, subtracted so that no power becomes too large',
  α: 'the attention weight: how much of the key’s value is taken',
  z: 'the head’s output at this token',
  W_h: 'the part of the output matrix W_O that belongs to this head',
  h: 'this head',
  W: 'a matrix of learned weights',
};

/** @type {Record<string, string>} */
const POSITIONS = {
  ...COMMON,
  PE: 'the positional encoding: the vector that is added to the embedding',
  p: 'the position, counted from 0',
  i: 'the pair of dimensions: one sine and one cosine of the same wavelength',
  k: 'how far apart the two positions are',
  sin: 'the sine, in the even dimensions',
  cos: 'the cosine',
};

/**
 * Symbols by the section that they stand in, an index behind a low line. A symbol without its index is looked up alone.
 * @type {Record<string, Record<string, string>>}
 */
export const SYMBOLS = {
  'map-title': ATTENTION,
  'computation-title': ATTENTION,
  'embedding-sum-title': {
    ...COMMON,
    p: 'the position, counted from 0',
    E: 'the table of embeddings, a row for each token of the vocabulary',
    word: 'the token of the vocabulary, which selects the row',
    PE: 'the positional encoding: the vector that is added to the embedding',
  },
  'positions-title': POSITIONS,
  'residual-token-title': {
    ...COMMON,
    'x′': 'the same token’s vector at the station before',
    cosine: 'how alike two directions are: 1 the same, 0 at right angles, −1 opposite',
  },
  'layer-norm-title': {
    ...COMMON,
    x: 'the token’s vector before the norm, one dimension of it',
    y: 'the same dimension after the norm',
    γ: 'the gain: a learned factor for each dimension',
    β: 'the bias: a learned number for each dimension, added at the end',
    μ: 'the mean of the token’s vector over its dimensions',
    σ: 'the standard deviation; σ² is the variance of the vector over its dimensions',
    ε: 'a small number that keeps the root from being 0',
  },
  'ffn-title': {
    ...COMMON,
    FFN: 'the feed-forward network',
    W_1: 'the first matrix, from d_model numbers to the neurons; its rows are what the neurons look for',
    W_2: 'the second matrix, from the neurons back; its columns are what the neurons add',
    b_1: 'the bias of the neurons',
    b_2: 'the bias of the output',
    W: 'a matrix of learned weights',
    w: 'a row of the first matrix: what the neuron looks for',
    b: 'a bias: a learned number that is added',
    ReLU: 'negative numbers become 0, positive ones stay',
    GELU: 'nearly 0 for negative numbers, nearly the number itself for positive ones',
    SiLU: 'the number times its sigmoid',
  },
  'logits-title': {
    ...COMMON,
    z: 'the logit: one number for each token of the vocabulary',
    w: 'the token',
    v: 'every token of the vocabulary, one after the other',
    E: 'the table of embeddings, used once more: a row for each token',
    b: 'a bias: a learned number for each token',
    p: 'the token’s probability',
  },
  'logit-lens-title': {
    ...COMMON,
    E: 'the table of embeddings, used once more: a row for each token',
    b: 'a bias: a learned number for each token',
    w: 'the token',
    l: 'the layer',
    p: 'the probabilities, if the model ended at this layer',
    LN: 'the LayerNorm before the output',
  },
};

/** Parts of a legend by their words. @type {Record<string, string>} */
export const LEGENDS = {
  masked: 'The mask hides these cells: the token may not attend there, and its weight is exactly 0.',
  'not a number': 'The result of an invalid operation, such as 0/0: something above it went out of range.',
};

export const SCALE = 'The colours of the map and what numbers they stand for.';
