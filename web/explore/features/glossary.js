// Explains the parts of the model, the symbols of the formulas and the legends in place: one tooltip for all, by
// pointer, focus and touch. Escape hides it, and it stays while the pointer is on it (WCAG 1.4.13).
// Fetched when the reader first points or moves the focus.

import style from './glossary.css';

/** @typedef {{anchor: Element, lines: {term: string, text: string}[]}} Tip */

const REST = 300; // ms of the pointer until it shows
const GRACE = 200; // ms on the way from the part to its tooltip
const PRESS = 500; // ms of a finger

/** @type {ReturnType<typeof createTips> | null} */
let tips = null;

/** @param {Event} first what the reader first points at @returns {import('../index.js').Feature} */
export const glossary = (first) => ({
  name: 'glossary',
  style,
  begin() {
    tips = createTips(/** @type {HTMLElement} */ (document.getElementById('explore')));
    tips.meet(first);
  },
  render() {
    tips?.update(); // of what stands there now; to do so twice changes nothing
    return null;
  },
});

const trimmed = (/** @type {Element | null | undefined} */ part) => (part?.textContent ?? '').replace(/\s+/g, '');

/** The symbols of an element's section. @param {Element} part */
const symbolsAt = (part) => SYMBOLS[part.closest('[aria-labelledby]')?.getAttribute('aria-labelledby') ?? ''] ?? {};

/** The meaning of a letter in a formula. @param {Element} letter @returns {Tip | null} */
function symbolTip(letter) {
  const symbols = symbolsAt(letter);
  const indexed = letter.closest('msub, msubsup');
  const [base, index] = indexed?.children ?? [];
  const whole = `${trimmed(base)}_${trimmed(index)}`;
  if (indexed && symbols[whole]) return { anchor: indexed, lines: [{ term: whole, text: symbols[whole] }] };
  const text = symbols[trimmed(letter)];
  return text ? { anchor: letter, lines: [{ term: trimmed(letter), text }] } : null;
}

/** All symbols of a formula. @param {Element} formula @returns {Tip | null} */
function formulaTip(formula) {
  const lines = [...formula.querySelectorAll('mi')].flatMap((letter) => symbolTip(letter)?.lines ?? []);
  const terms = new Map(lines.map((line) => [line.term, line]));
  return terms.size ? { anchor: formula, lines: [...terms.values()] } : null;
}

/** @param {Element} node of the model graph, or a head @returns {Tip} */
function nodeTip(node) {
  const { term = '', measure } = /** @type {HTMLElement} */ (node).dataset;
  const number = node.querySelector('.model-graph-number')?.textContent ?? '';
  return {
    anchor: node,
    lines: [{ term: node.ariaLabel ?? term, text: NODES[term] }, ...(measure ? [{ term: measure, text: number }] : [])],
  };
}

/** The explanation of the element under the pointer. @param {EventTarget | null} target @returns {Tip | null} */
function tipAt(target) {
  if (!(target instanceof Element)) return null;
  const node = target.closest('[data-term]');
  if (node) return nodeTip(node);
  const letter = target.closest('mi') ?? target.closest('msub')?.querySelector('mi');
  if (letter) return symbolTip(letter);
  const swatch = target.closest('.legend-swatch');
  const term = swatch?.textContent?.trim() ?? '';
  if (swatch && LEGENDS[term]) return { anchor: swatch, lines: [{ term, text: LEGENDS[term] }] };
  const scale = target.closest('.legend-scale');
  return scale && { anchor: scale, lines: [{ term: 'Scale', text: SCALE }] };
}

/** The tooltip itself. */
function createBox() {
  const box = document.createElement('div');
  box.id = 'tip';
  box.className = 'tip';
  box.role = 'tooltip';
  box.hidden = true;
  document.body.append(box);

  return {
    box,
    /** Below its part, or above it where there is no room. @param {Tip} tip */
    place({ anchor }) {
      const { left, top, bottom } = anchor.getBoundingClientRect();
      const { offsetWidth: width, offsetHeight: height } = box;
      const y = bottom + 6 + height < innerHeight ? bottom + 6 : Math.max(0, top - height - 6);
      box.style.left = `${Math.max(4, Math.min(left, document.documentElement.clientWidth - width - 4))}px`;
      box.style.top = `${y}px`;
    },
    /** @param {Tip} tip */
    write({ lines }) {
      box.replaceChildren(
        ...lines.map(({ term, text }) => {
          const line = document.createElement('p');
          const name = document.createElement('strong');
          const [base, index = ''] = term.split('_');
          const sub = document.createElement('sub');
          sub.textContent = index;
          name.append(base, ...(index ? [sub] : []));
          line.append(name, ': ', text);
          return line;
        }),
      );
    },
  };
}

/** @param {HTMLElement} root */
function createTips(root) {
  const { box, place, write } = createBox();
  let timer = 0;
  /** @type {Tip | null} */
  let shown = null;

  /** @param {Tip} tip */
  function show(tip) {
    hide();
    shown = tip;
    write(tip);
    box.hidden = false;
    place(tip);
    tip.anchor.closest('[tabindex], button')?.setAttribute('aria-describedby', 'tip');
  }

  function hide() {
    clearTimeout(timer);
    box.hidden = true;
    shown?.anchor.closest('[tabindex], button')?.removeAttribute('aria-describedby');
    shown = null;
  }

  /** @param {number} delay @param {() => void} then */
  function later(delay, then) {
    clearTimeout(timer);
    timer = setTimeout(then, delay);
  }

  /** @param {Event} event of the pointer, which comes to lie on something */
  function meet({ target, type }) {
    const tip = tipAt(target);
    if (!tip) return;
    if (tip.anchor === shown?.anchor) clearTimeout(timer);
    else later(type === 'pointerover' ? REST : 0, () => show(tip));
  }

  root.addEventListener('pointerover', (event) => {
    if (event.pointerType !== 'touch') meet(event);
  });
  root.addEventListener('pointerout', ({ pointerType }) => {
    if (pointerType !== 'touch' && (shown || timer)) later(GRACE, hide);
  });
  box.addEventListener('pointerenter', () => clearTimeout(timer));
  box.addEventListener('pointerleave', () => later(GRACE, hide));
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element) || !target.matches(':focus-visible')) return;
    const tip = target.matches('.formula') ? formulaTip(target) : tipAt(target);
    if (tip) show(tip);
  });
  root.addEventListener('focusout', hide);
  root.addEventListener('pointerdown', ({ target, pointerType }) => {
    if (pointerType !== 'touch') return hide();
    const tip = tipAt(target);
    if (!tip) return hide();
    // A tap on a button does something else, so its tooltip needs a long press.
    if (tip.anchor.matches('button')) later(PRESS, () => show(tip));
    else show(tip);
  });
  for (const end of ['pointerup', 'pointercancel'])
    root.addEventListener(end, () => {
      if (!shown) clearTimeout(timer);
    });
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !shown) return;
      event.stopPropagation(); // not the book as well
      hide();
    },
    true,
  );
  const follow = () => {
    if (!shown) return;
    const { top, bottom } = shown.anchor.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) hide();
    else place(shown);
  };
  document.addEventListener('scroll', follow, { capture: true, passive: true });

  return {
    meet,
    /** Formulas that have come since are reached by the tab key. */
    update() {
      for (const formula of root.querySelectorAll('.formula:not([tabindex])')) {
        if (!formulaTip(formula)) continue;
        formula.setAttribute('tabindex', '0');
        formula.setAttribute('role', 'group');
        formula.setAttribute('aria-label', 'Formula');
      }
    },
  };
}

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
  RMSNorm: 'Each vector divided by its root mean square, times a learned gain; no mean is subtracted, no bias added.',
  'Add & RMSNorm': 'What the sublayer computed is added to the vector that went in; then RMSNorm.',
  'Final RMSNorm': 'The RMSNorm behind the last layer.',
  'Gated FFN':
    'The feed-forward network: two linear maps make gate and up of each neuron, their product goes through a third.',
  FFN: 'The feed-forward network: two matrices with an activation function between them, at each token alone.',
  Transform: 'A matrix, an activation function and a LayerNorm, at each token alone, before the output table.',
  Logits: 'One number for each token of the vocabulary: how well it fits here.',
  Values: 'The numbers that the model predicts at each token, through its output matrix.',
  Probabilities: 'The softmax of the logits: all are positive, and they sum to 1.',
};

const TRANSFORM = 'a matrix, an activation function and a LayerNorm, before the output table';

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
  R: 'turned: each pair of dimensions by an angle that grows with the token’s position',
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
const SYMBOLS = {
  'map-title': ATTENTION,
  'computation-title': ATTENTION,
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
    W_3: 'a matrix like the first, whose result is multiplied with the gate',
    W_2: 'the second matrix, from the neurons back; its columns are what the neurons add',
    b_1: 'the bias of the neurons',
    b_3: 'the bias of what is multiplied with the gate',
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
    transform: TRANSFORM,
  },
  'logit-lens-title': {
    ...COMMON,
    E: 'the table of embeddings, used once more: a row for each token',
    b: 'a bias: a learned number for each token',
    w: 'the token',
    l: 'the layer',
    p: 'the probabilities, if the model ended at this layer',
    LN: 'the LayerNorm before the output',
    RMSNorm: 'the norm before the output',
    transform: TRANSFORM,
  },
};

Object.assign(SYMBOLS, {
  'neuron-why-title': {
    ...SYMBOLS['ffn-title'],
    w: 'the neuron’s key: what it looks for in the vector',
    u: 'its second key, whose product is multiplied with what the gate gives',
    c: 'the bias of that product',
    v: 'the neuron’s value: what it adds',
  },
  'embedding-why-title': {
    ...COMMON,
    p: 'the position, counted from 0',
    E: 'the table of embeddings, a row for each token of the vocabulary',
    word: 'the token of the vocabulary, which selects the row',
    PE: 'the positional encoding: the vector that is added to the embedding',
    T_type: 'the vector of the token’s type',
  },
  'positions-why-title': POSITIONS,
  'norm-why-title': { ...SYMBOLS['layer-norm-title'], rms: 'the root of the mean square of the vector' },
  'sum-why-title': {
    ...COMMON,
    f: 'what the sublayer makes of the vector',
    norm: 'the norm of this sublayer',
    E: 'the embedding of the token',
    PE: 'the positional encoding',
  },
  'logit-why-title': SYMBOLS['logits-title'],
});

/** Parts of a legend by their words. @type {Record<string, string>} */
const LEGENDS = {
  masked: 'The mask hides these cells: the token may not attend there, and its weight is exactly 0.',
  'not a number': 'The result of an invalid operation, such as 0/0: something above it went out of range.',
};

const SCALE = 'The colours of the map and what numbers they stand for.';
