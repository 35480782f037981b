// Explains a vector of the residual stream at a token: the row of its word, its position, and the vector that each
// sublayer adds.

import { html, nothing } from 'lit-html';
import { limitsOf } from '../../draw/bars.js';
import { equation } from '../../draw/equation.js';
import { inlineMath, letter, root, row as mathRow, sub, sup } from '../../draw/math.js';
import { formatShare, shortValue } from '../../draw/numbers.js';
import { choiceLabel } from '../../engine/model-settings.js';
import { addsPositions, attention, positionsName } from '../../engine/plan.js';
import { nodeWhy } from '../shared/node-why.js';
import { waveOf } from '../shared/wave.js';
import { wordIn } from '../../draw/why.js';
import { amongRow, vectorRow } from '../../draw/why-rows.js';
import { selectedIn } from '../shared/words.js';

/**
 * @typedef {import('../index.js').Context} Context
 * @typedef {import('../../app/schema.js').Selection} Selection
 * @typedef {import('../../app/schema.js').GraphState} GraphState
 * @typedef {import('../../draw/why-rows.js').Row} Row
 */

/** Before the reader has chosen. */
const FIRST = { stage: 0, stream: /** @type {const} */ ('norms') };

const lengthOf = (/** @type {Float32Array} */ vector) => Math.hypot(...vector);
const long = (/** @type {Float32Array} */ vector) => `length ${shortValue(lengthOf(vector))}`;

/** @param {import('../index.js').Query} query */
const inputNeeds = ({ plan: { settings }, state: { selection } }) => [
  ...['embedding', 'input'].map((what) => `${attention(selection.kind).stack}.${what}`),
  ...(addsPositions(settings) ? [positionsName(selection.kind)] : []),
];

/**
 * The vectors that the input of the first layer is made of; undefined: they are not here yet. `put`: an intervention
 * has put another one in its place.
 * @param {Context} context
 */
function inputOf({ result, state }) {
  const { kind, stack, readWords, row } = selectedIn(result, state);
  const { config, settings } = result.plan;
  const { d_model: width } = settings;
  /** @param {string} name */
  const tensor = (name) => result.tensors.get(name)?.data;
  const [embeddings, inputs, table] = [`${stack}.embedding`, `${stack}.input`, positionsName(kind)].map(tensor);
  if (!embeddings || !inputs || (addsPositions(settings) && !table)) return undefined;
  const at = (/** @type {Float32Array} */ data) => data.subarray(row * width, (row + 1) * width);
  const [own, position, sum] = [at(embeddings), table ? at(table) : null, at(inputs)];
  const put = state.interventions.some(
    (each) =>
      (each.what === 'patch' && each.kind === stack && each.after === 0 && each.row === row) ||
      (each.what === 'swap' && each.kind === stack && (each.row === row || each.to === row)),
  );
  const hasTypes = stack === 'encoder' && Boolean(config.types) && !put;
  return {
    stack,
    words: readWords,
    row,
    word: wordIn(readWords[row], 'query', { row }),
    dimension: Math.min(state.cursor.dimension, width - 1),
    own,
    position,
    table,
    width,
    // The sum less the two is the row of the token's type.
    type: hasTypes ? sum.map((each, i) => each - own[i] - (position?.[i] ?? 0)) : null,
    sum,
    put,
    scale: config.embeddingScale === false ? 1 : Math.sqrt(width),
    reader: config.embeddingNorm === true ? choiceLabel('normKind', settings.normKind) : 'layer 1',
    limits: limitsOf(own, position ?? sum, sum),
  };
}

/** After the row of the table, its type and its position, or what turns that one. @param {number[]} known */
const inputFrom = ([, type, place, word, , turned = place]) => word + turned + type;

/**
 * The numbers of a dimension as they are printed: the row of the table, scaled, with position and type the input. Where
 * the angle is printed too, the position is its sine or cosine.
 * @param {NonNullable<ReturnType<typeof inputOf>>} input @param {ReturnType<typeof waveOf> | null} [wave]
 */
function printedOf({ own, position, type, sum, put, scale, dimension, row }, wave = null) {
  const at = (/** @type {Float32Array | null} */ data) => data?.[dimension] ?? 0;
  /** @type {import('../../draw/equation.js').Step[]} */
  const turn = wave
    ? [
        { value: row / wave.slow, from: ([, , slow]) => row / slow },
        { value: at(position), from: ([, , , , angle]) => Math[wave.name](angle) },
      ]
    : [];
  const { operands, results } = equation(
    [own[dimension] / scale, at(type), wave ? wave.slow : at(position)],
    [
      { value: own[dimension], from: ([entry]) => entry * scale },
      ...turn,
      ...(put ? [] : [{ value: sum[dimension], from: inputFrom }]),
    ],
  );
  const [entry, kind, last] = operands;
  const [word, ...rest] = results;
  const [angle, place] = wave ? rest.splice(0, 2) : ['', last];
  const [input = shortValue(sum[dimension])] = rest;
  return { entry, position: place, type: kind, word, input, slow: last, angle };
}

/** @typedef {NonNullable<ReturnType<typeof inputOf>>} Input */

/** @param {Input} input @param {ReturnType<typeof printedOf>} printed @returns {Row} */
const sumRow = ({ sum, put, limits, dimension, reader }, printed) =>
  vectorRow({
    ...{ name: 'product', label: `= input of ${reader}`, spoken: 'input', vector: sum, limits, dimension },
    value: sum[dimension],
    shown: printed.input,
    note: put ? 'put here by an intervention' : long(sum),
  });

/** @param {Input} input @param {ReturnType<typeof printedOf>} printed @returns {Row} */
const wordRow = ({ own, limits, dimension, word }, printed) =>
  vectorRow({
    ...{ name: 'query', label: html`+ ${word}`, spoken: 'word', vector: own, limits, dimension },
    value: own[dimension],
    shown: printed.word,
    note: long(own),
  });

export const embeddingWhy = nodeWhy('embedding-why', inputNeeds, (context) => {
  const input = inputOf(context);
  if (!input) return undefined;
  const { stack, words, row, word, dimension, own, position, type, sum, scale, limits, reader } = input;
  const isWhole = context.state.graph.embedding === 'input';
  const printed = printedOf(input);
  const entry = own.map((each) => each / scale);
  const { positions } = context.result.plan.settings;
  return {
    of: `${stack} ${words}`,
    at: `${words[row]}, ${row}, dimension ${dimension}`,
    numbers: [isWhole, sum, sum[dimension]],
    title: `Why ${isWhole ? printed.input : printed.word}?`,
    formula: inlineMath(
      ...(scale === 1 ? [] : [root(sub('d', 'model'))]),
      sub(letter('E', 'query'), 'word'),
      ...(isWhole && position ? ['+', sub(letter('PE', 'key'), 'p')] : []),
      ...(isWhole && type ? ['+', sub(letter('T', 'value'), 'type')] : []),
    ),
    line: html`Dimension ${dimension} of ${word}: the table has one vector for each token.
      ${positions === 'rotary' ? 'No position is added: each layer turns its queries and keys instead.' : nothing}`,
    rows: [
      vectorRow({
        ...{ name: 'query', label: html`row of ${word}`, spoken: 'row', vector: entry, dimension },
        value: entry[dimension],
        shown: printed.entry,
        note: long(entry),
      }),
      ...(scale === 1
        ? []
        : [
            vectorRow({
              ...{ name: 'query', label: `× √${own.length}`, spoken: 'scaled', vector: own, limits, dimension },
              value: own[dimension],
              shown: printed.word,
              note: long(own),
            }),
          ]),
      ...(isWhole && position ? [positionRow(input, position, printed)] : []),
      ...(isWhole && type
        ? [
            vectorRow({
              ...{ name: 'value', label: '+ token type', spoken: 'type', vector: type, limits, dimension },
              value: type[dimension],
              shown: printed.type,
              note: long(type),
            }),
          ]
        : []),
      ...(isWhole ? [sumRow({ ...input, reader }, printed)] : []),
    ],
  };
});

/** @param {Input} input @param {Float32Array} position @param {ReturnType<typeof printedOf>} printed @returns {Row} */
const positionRow = ({ row, limits, dimension }, position, printed) =>
  vectorRow({
    ...{ name: 'key', label: `+ position ${row}`, spoken: 'position', vector: position, limits, dimension },
    value: position[dimension],
    shown: printed.position,
    note: long(position),
  });

export const positionsWhy = nodeWhy('positions-why', inputNeeds, (context) => {
  const input = inputOf(context);
  if (!input?.position || !input.table) return input && null;
  const { stack, words, row, word, dimension, position, table, width } = input;
  const { positions } = context.result.plan.settings;
  const isWave = positions === 'sinusoidal';
  const wave = waveOf(dimension, width);
  const printed = printedOf(input, isWave ? wave : null);
  const among = amongRow({
    label: isWave ? wave.name : `dimension ${dimension}`,
    values: Float32Array.from(words, (_, at) => table[at * width + dimension]),
    row,
    value: position[dimension],
    shown: printed.position,
    note: `among the ${words.length} positions of this text`,
  });
  return {
    of: `${stack} ${words} ${positions}`,
    at: `position ${row}, dimension ${dimension}`,
    numbers: [input.sum, position[dimension]],
    title: `Why ${printed.position}?`,
    formula: isWave
      ? inlineMath(wave.name, '(', letter('p', 'query'), '/', sup(10000, mathRow(2, 'i', '/', 'd')), ')')
      : inlineMath(sub(letter('PE', 'key'), 'p')),
    line: isWave
      ? html`At position ${row}, where ${word} stands: dimension ${dimension} repeats every
        ${shortValue(2 * Math.PI * wave.slow)} positions.`
      : html`A learned vector for each position: this is the one of position ${row}, where ${word} stands.`,
    rows: [
      ...(isWave
        ? [
            vectorRow({
              ...{ name: 'key', label: `position ${row}`, spoken: 'position', vector: position, dimension },
              value: row / wave.slow,
              shown: printed.angle,
              note: `its angle: ${row} ÷ ${printed.slow}`,
            }),
          ]
        : [
            vectorRow({
              ...{ name: 'key', label: `row ${row}`, spoken: 'position', vector: position, dimension },
              value: position[dimension],
              shown: printed.position,
              note: long(position),
            }),
          ]),
      among,
      wordRow(input, printed),
      sumRow(input, printed),
    ],
  };
});

/**
 * The first stage has a length only.
 * @param {{selection: Selection, graph: Pick<GraphState, 'stage' | 'stream'>, cursor: {row: number}}} of
 */
function sumName({ selection, graph: { stage, stream }, cursor }) {
  return `@why-sum/${attention(selection.kind).stack}/${stream === 'norms' ? stage : Math.max(1, stage)}/${cursor.row}`;
}

/** @type {Record<string, import('../../draw/math.js').Part[]>} */
const FORMULAS = { embedding: ['E'], positions: ['E', '+', 'PE'] };
const F = mathRow('f', '(', 'x', ')');

export const sumWhy = nodeWhy(
  'sum-why',
  ({ state: { selection, graph = FIRST, cursor = { row: 0 } } }) => [sumName({ selection, graph, cursor })],
  ({ result, state }) => {
    /** @type {import('../derived/why.js').SumWhy | {absent: true} | undefined} */
    const why = result.derived.get(sumName(state));
    if (!why) return undefined;
    if ('absent' in why) return null;
    const { stack, rowWords, row } = selectedIn(result, state);
    const { kind, before, added, read, after, title, sublayer } = why;
    const word = wordIn(rowWords[row], 'query', { row });
    const length = lengthOf(after);
    const moved = before && {
      norms: length,
      changes: lengthOf(after.map((each, i) => each - before[i])) / lengthOf(before),
      cosines: after.reduce((so, each, i) => so + each * before[i], 0) / length / lengthOf(before),
    };
    const shown = moved ? moved[state.graph.stream] : length;
    const limits = limitsOf(after, before ?? after, read ?? after);
    const isNorm = kind === 'norm';
    const gives = FORMULAS[kind] ?? (added ? ['x', '+', F] : read || !isNorm ? [F] : ['x']);
    /** @param {string} name @param {unknown} label @param {string} spoken @param {Float32Array} vector */
    const line = (name, label, spoken, vector) =>
      vectorRow({ name, label, spoken, vector, limits, value: lengthOf(vector), note: 'length' });
    return {
      of: `${stack} ${rowWords}`,
      at: `${rowWords[row]}, ${row}, after ${title}`,
      numbers: [state.graph.stream, shown],
      title: `Why ${shortValue(shown)}?`,
      formula: inlineMath(...(isNorm ? ['norm', '(', ...gives, ')'] : gives)),
      line: html`${WHAT[state.graph.stream]} of ${word} after ${title}.${
        added && before
          ? html` What ${sublayer} adds is ${formatShare(lengthOf(added) / lengthOf(before))} as long as the vector
            before.`
          : nothing
      }`,
      rows: [
        ...(before ? [line('query', html`${word} before`, 'before', before)] : []),
        ...(added ? [line('value', `+ ${sublayer}`, 'added', added)] : []),
        ...(read ? [line('product', added ? '= sum' : `${sublayer} gives`, 'sum', read)] : []),
        vectorRow({
          ...{ name: 'product', spoken: 'after', vector: after, limits, value: length },
          label: isNorm ? 'its norm' : before ? (added ? '= after' : `${sublayer} gives`) : word,
          note: moved
            ? `length; it changed by ${formatShare(moved.changes)}, cosine ${shortValue(moved.cosines)}`
            : 'length',
        }),
      ],
    };
  },
);

const WHAT = {
  norms: 'The length of the vector',
  changes: 'The relative change of the vector',
  cosines: 'The cosine with the vector before',
};
