// What one switch does to each task: the share of whole rows right, of the first 192 held-out rows of each seed, with
// seeds 0, 1 and 2. `npm run twins` computes every number again: the bits are the same, so the numbers are.

/**
 * @typedef {Readonly<Record<string, import('../settings/settings.js').Value>>} Change of the settings
 * @typedef {{name: string, change: Change}} Switch
 * @typedef {{steps: number, recipe: number[], switches: (number[] | null)[]}} Measured `switches`: in their order;
 *   null: that is the recipe
 */

export const SEEDS = [0, 1, 2];
/** Held-out rows, of the seed's own. */
export const ROWS = 192;

/** @type {Switch[]} */
export const SWITCHES = [
  { name: 'no scale 1/√d_k', change: { scoreScale: false } },
  { name: 'no positions', change: { positions: 'none' } },
  { name: 'learned positions', change: { positions: 'learned' } },
  { name: 'no residual connections', change: { residual: false } },
  { name: 'pre-LN', change: { norm: 'pre' } },
  { name: 'no LayerNorm', change: { norm: 'none' } },
  { name: 'linear FFN', change: { activation: 'none' } },
  { name: 'no FFN', change: { d_ff: 0 } },
  { name: 'one head', change: { heads: 1 } },
];

/** @type {Record<string, Measured>} */
export const TABLE = {
  order: {
    steps: 100,
    recipe: [1, 1, 0.96],
    switches: [
      [0.98, 1, 0.8],
      [0.51, 0.57, 0.5],
      [0.97, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
      [1, 0.83, 0.97],
      [1, 1, 1],
      [0.96, 1, 0.8],
      [1, 0.77, 0.5],
    ],
  },
  reverse: {
    steps: 150,
    recipe: [0.8, 0.97, 0.95],
    switches: [
      [0, 0.98, 0.33],
      [0, 0, 0],
      [1, 1, 1],
      [0.97, 0.93, 0.92],
      [1, 1, 1],
      [0.97, 0.92, 0.96],
      [0.96, 0.99, 0.96],
      [0, 0.91, 0.1],
      null,
    ],
  },
  'reverse-variable': {
    steps: 600,
    recipe: [1, 1, 1],
    switches: [
      [1, 1, 1],
      [0.01, 0.01, 0],
      [0.01, 0.31, 0],
      [0.9, 0.87, 0.77],
      [1, 0.03, 0.01],
      [1, 1, 1],
      [1, 1, 1],
      [0.99, 0.99, 0.71],
      [1, 1, 1],
    ],
  },
  sort: {
    steps: 400,
    recipe: [0.93, 0.97, 0.96],
    switches: [
      [0.8, 0.89, 0.89],
      [0, 0, 0],
      [0.97, 0.97, 0.99],
      [0.81, 0.55, 0.72],
      [0.98, 0.94, 0.93],
      [0.94, 0.75, 0.86],
      [0.89, 0.85, 0.92],
      [0.87, 0.51, 0.66],
      [0.93, 0.9, 0.96],
    ],
  },
  addition: {
    steps: 600,
    recipe: [0.99, 0.26, 0.92],
    switches: [
      [0.47, 0.36, 0.57],
      [0.29, 0.17, 0.35],
      [0.96, 0.88, 0.95],
      [0.97, 0.1, 0.09],
      [0.73, 0.06, 0.77],
      [0.97, 0.95, 0.87],
      [0.11, 0.11, 0.04],
      [0.05, 0.11, 0.05],
      [0, 0.02, 0.01],
    ],
  },
};

/** Addition without positions, later: the causal mask tells places apart. */
export const LATER = { task: 'addition', name: 'no positions', steps: 1200, shares: [0.87, 0.93, 0.99] };
