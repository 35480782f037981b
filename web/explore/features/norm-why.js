// Explains a norm's output at a token and in a dimension: less the mean, by the deviation, times the gain.

import { limitsOf } from '../../draw/bars.js';
import { frac, inlineDisplayMath, inlineMath, letter, row as mathRow } from '../../draw/math.js';
import { html } from 'lit-html';
import { equation } from '../../draw/equation.js';
import { standingAt } from '../../engine/interventions.js';
import { normName } from '../shared/graph.js';
import { nodeWhy } from '../shared/node-why.js';
import { wordIn } from '../../draw/why.js';
import { vectorRow } from '../../draw/why-rows.js';
import { selectedIn } from '../shared/words.js';

export const normWhy = nodeWhy(
  'norm-why',
  ({ state }) => [normName(state)],
  ({ result, state }) => {
    const { stack, rowWords, row } = selectedIn(result, state);
    /** @type {import('../derived/layer-norm.js').Norm | {absent: true} | undefined} */
    const found = result.derived.get(normName(state));
    if (!found) return undefined;
    if ('absent' in found) return null;
    const { before, after, mean, variance, meanSquare, weight, bias, epsilon, width, title, place } = found;
    const dimension = Math.min(state.cursor.dimension, width - 1);
    const at = (/** @type {Float32Array} */ data) => data.subarray(row * width, (row + 1) * width);
    const [x, y] = [at(before), at(after)];
    const layer = place % 4 ? state.selection.layer : 0; // outside the layers there is none
    const isSkipped = Boolean(
      standingAt(state.interventions, { what: 'skip', node: 'norm', kind: stack, layer, sublayer: place, to: 0 }),
    );
    const deviation = Math.sqrt((variance ?? /** @type {Float32Array} */ (meanSquare))[row] + epsilon);
    const centred = mean ? x.map((each) => each - mean[row]) : x;
    const normed = centred.map((each) => each / deviation);
    const word = wordIn(rowWords[row], 'query', { row });
    const mu = mean ? mean[row] : 0;
    const { operands, results } = equation(
      [x[dimension], mu, deviation, weight ? weight[dimension] : 1, bias ? bias[dimension] : 0],
      [
        { value: centred[dimension], from: (known) => known[0] - known[1] },
        { value: normed[dimension], from: (known) => known[5] / known[2] },
        { value: y[dimension], from: (known) => (isSkipped ? known[0] : known[6] * known[3] + known[4]) },
      ],
    );
    const [given, mid, divisor, gain, moved] = operands;
    const [less, divided, made] = results;
    /**
     * @param {string} name @param {string} label @param {Float32Array} vector @param {string} shown
     * @param {unknown} note
     */
    const line = (name, label, vector, shown, note) =>
      vectorRow({ name, label, spoken: label, vector, dimension, value: vector[dimension], shown, note });
    const steps = isSkipped
      ? [line('product', 'skipped', y, made, 'it gives what it reads')]
      : [
          ...(mean ? [line('query', '− mean', centred, less, `mean ${mid}`)] : []),
          line(
            'query',
            mean ? '÷ deviation' : '÷ root mean square',
            normed,
            divided,
            `${mean ? 'deviation' : 'root mean square'} ${divisor}`,
          ),
          line('product', bias ? '× gain + bias' : '× gain', y, made, `gain ${gain}${bias ? `, bias ${moved}` : ''}`),
        ];
    return {
      of: `${stack} ${title} ${rowWords}`,
      at: `${rowWords[row]}, ${row}, dimension ${dimension}`,
      numbers: [isSkipped, x[dimension], y[dimension]],
      title: `Why ${made}?`,
      formula: isSkipped
        ? inlineMath('y', '=', letter('x', 'query'))
        : inlineDisplayMath(
            'γ',
            frac(mean ? mathRow(letter('x', 'query'), '−', 'μ') : letter('x', 'query'), mean ? 'σ' : 'rms'),
            ...(bias ? ['+', 'β'] : []),
          ),
      line: html`${title}: what the norm makes of dimension ${dimension} of ${word}, ${given}.`,
      rows: [
        vectorRow({
          ...{ name: 'query', label: html`x of ${word}`, spoken: 'x', vector: x, limits: limitsOf(x), dimension },
          value: x[dimension],
          shown: given,
          note: 'what it reads',
        }),
        ...steps,
      ],
    };
  },
);
