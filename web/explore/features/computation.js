// Explains a weight, step by step; web/draw/weight-why.js draws it.

import { html, nothing } from 'lit-html';
import { tableOf } from '../../draw/figure.js';
import {
  pointing,
  shareWords,
  termsOf,
  weightParts,
  weightSaid,
  weightSteps,
  weightedOf,
} from '../../draw/weight-why.js';
import { headsOff, temperatureOf } from '../../engine/interventions.js';
import { attentionKinds, attentionPath, headSize, sharing, stagesOfQuery } from '../../engine/plan.js';
import { figure } from '../../kit/figure.js';
import { replacedIn } from '../shared/softmax.js';
import { createWhy, watchChoices } from '../shared/why.js';
import { selectedIn } from '../shared/words.js';

/** @typedef {import('../../draw/weight-why.js').ComputationData} ComputationData */

const why = createWhy();

/**
 * @param {import('../../app/schema.js').Selection} selection
 * @param {number} row the cursor's; the derived answers for the last if it is beyond
 */
const shareName = ({ kind, layer, head }, row) => `@head-share/${attentionPath(kind, layer)}/${head}/${row}`;

/**
 * The steps before the product in models that turn or norm queries and keys, fetched with the first such model. null:
 * the fetch failed, so the rows begin at the product.
 * @type {typeof import('../shared/turned.js') | null | undefined}
 */
let turned;
/** @type {Promise<void> | undefined} */
let fetching;

/** @param {() => void} redraw */
async function fetchTurned(redraw) {
  try {
    turned = await import('../shared/turned.js');
  } catch {
    turned = null;
    fetching = undefined; // the next cell tries again
  }
  redraw();
}

const TURNS = '@turns';

/** @param {string} path of the attention */
const gainsOf = (path) => ['q', 'k'].map((each) => `${path}.${each}_norm.weight`);

/** @type {import('../index.js').Feature} */
export const computation = {
  name: 'computation',
  slot: 'why',
  nodes: ['attention'],
  aside: true,
  local: { cell: '', dimension: null }, // which is pointed at, and of which cell
  needs({ plan: { settings }, state: { selection, cursor } }) {
    const path = attentionPath(selection.kind, selection.layer);
    const stages = stagesOfQuery(selection.kind, settings);
    return [
      ...stages.flatMap((each) => [`${path}.query${each}`, `${path}.key${each}`]),
      `${path}.value`,
      ...(stages.includes('_normed') ? gainsOf(path) : []),
      ...(stages.includes('_rotated') ? [TURNS] : []),
      shareName(selection, cursor?.row ?? 0),
    ];
  },
  begin(tools) {
    why.begin(tools);
    watchChoices();
  },
  frame: () => panel(nothing),
  blank: () => html`<div id="computation" hidden></div>`, // where a skip link leads
  render({ local, ...context }, { local: remember }) {
    const data = dataOf(context);
    if (!data) return undefined;
    if (data.earlier && turned === undefined) {
      fetching ??= fetchTurned(() => remember({}));
      return undefined;
    }
    const { title, row, column, rowWord, columnWords, query, temperature, scores, output } = data;
    const cell = [title, row, column, temperature, columnWords, scores, output].join('/');
    const dimension = local.cell === cell ? local.dimension : null;
    const name = `${title}, ${rowWord} to ${columnWords[column]}`;
    const before = (data.earlier && turned?.earlierRows(data)) || [];
    const frame = why.frame(cell, weightParts(data, before));
    return panel(
      html`${why.head(weightSaid(data, before, frame), frame)}${weightSteps(
        data,
        before,
        frame,
        dimension,
        pointing(query.length, dimension, (next) => remember({ cell, dimension: next })),
      )}`,
      figure({ name: `${name}, step by step`, select: '.why-steps', tables: () => weightTables(data) }),
      why.playing({ cell, of: `${title}/${columnWords}`, at: `${row}/${column}`, plays: context.state.plays }),
    );
  },
};

/** @param {unknown} body @param {unknown[]} acts */
const panel = (body, ...acts) => html`
  <section class="panel why" id="why-panel" aria-labelledby="computation-title">
    <div id="computation" class="why-body" ${acts[0]} ${acts[1]}>${body}</div>
  </section>`;

/**
 * @param {Omit<import('../index.js').Context, 'local'>} context
 * @returns {ComputationData | undefined} undefined: not all of it is here
 */
function dataOf({ result, state }) {
  const { selection, kind, title, rowWords, columnWords, row, key } = selectedIn(result, state);
  const { layer, head: at, mean } = selection;
  const { settings, interventions } = result.plan;
  const share = result.derived.get(shareName(selection, state.cursor.row));
  const size = headSize(settings);
  const path = attentionPath(kind, layer);
  const shared = sharing(settings);
  const hasKinds = attentionKinds(settings).length > 1;
  const read = (/** @type {string} */ name) => result.tensors.get(name)?.data;
  /** @param {string} name @param {number} of which head @param {number} length of the sequence @param {number} i */
  const vector = (name, of, length, i) =>
    read(`${path}.${name}`)?.slice((of * length + i) * size, (of * length + i + 1) * size);
  const ofKeys = Math.floor(at / shared);
  const names = stagesOfQuery(kind, settings);
  const stages = names.map((name) => ({
    name,
    query: /** @type {Float32Array} */ (vector(`query${name}`, at, rowWords.length, row)),
    key: /** @type {Float32Array} */ (vector(`key${name}`, ofKeys, columnWords.length, key)),
  }));
  const value = vector('value', ofKeys, columnWords.length, key);
  if (!share || !value || stages.some((each) => !each.query || !each.key)) return undefined;
  const [query, keyVector] = [stages[stages.length - 1].query, stages[stages.length - 1].key];
  const [queryGain, keyGain] = names.includes('_normed') ? gainsOf(path).map(read) : [];
  const gains = queryGain && keyGain ? { query: queryGain, key: keyGain } : null;
  const turns = names.includes('_rotated') ? result.derived.get(TURNS)?.turns : null;
  if (turns === undefined || (names.includes('_normed') && !gains)) return undefined;
  return {
    ...share,
    title: `${title}, layer ${layer + 1}, head ${at + 1} of ${settings.heads}`,
    where: `${hasKinds ? `${title.toLowerCase()}, ` : ''}layer ${layer + 1}, head ${at + 1}`,
    lineNote: mean ? ' The map shows the mean of all heads, these are the steps of one.' : '',
    row,
    column: key,
    rowWord: rowWords[row],
    columnWords,
    query,
    key: keyVector,
    value,
    stages,
    shared,
    earlier: gains || turns ? { gains, epsilon: Number(result.plan.config.epsilon ?? 1e-5), turns } : null,
    head: at,
    shareNote: shareNote(interventions, { kind, layer, head: at }),
    replaced: replacedIn(share),
    place: `${kind} ${layer}`,
    scale: settings.scoreScale ? Math.sqrt(size) : 1,
    temperature: temperatureOf(interventions),
  };
}

/**
 * @param {import('../../engine/interventions.js').Intervention[]} interventions
 * @param {{kind: import('../../engine/plan.js').AttentionKind, layer: number, head: number}} of
 */
function shareNote(interventions, { kind, layer, head }) {
  if (headsOff(interventions, kind, layer).includes(head)) return 'head off: it adds nothing';
  const isSet = interventions.some(
    (each) => each.what === 'head' && each.kind === kind && each.layer === layer && each.head === head,
  );
  return `${shareWords(head)}${isSet ? '; set by an intervention' : ''}`;
}

/** All numbers of the computation. @param {ComputationData} data */
function weightTables(data) {
  const { title, columnWords, scores, scaled, masked, weights, query, key, value, output, norms } = data;
  /** @param {string} name @param {string[]} labels @param {Record<string, Float32Array>} columns */
  const table = (name, labels, columns) =>
    tableOf(
      `${title}, ${name}`,
      Object.keys(columns),
      labels.map((label, i) => [label, ...Object.values(columns).map((each) => each[i])]),
    );
  return [
    table('the row', columnWords, { score: scores, scaled, masked, weight: weights }),
    table(
      'the cell',
      Array.from(query, (_, d) => `dimension ${d}`),
      { q: query, k: key, 'q × k': termsOf(data), v: value, 'α v': weightedOf(data), z: output },
    ),
    table(
      'the heads',
      Array.from(norms, (_, head) => `head ${head + 1}`),
      { norm: norms },
    ),
  ];
}
