// One head, large: weights or scores of the selected head, or the mean of its layer; and one sentence about the row at
// the cursor, or about several that are selected.

import { html, mathml, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { probabilityScale, roundLimit, signedScale } from '../../draw/color.js';
import { isChecked, menu } from '../../kit/controls.js';
import { frac, inlineMath, math, root, row as inRow, sub, sup } from '../../draw/math.js';
import { formatShare, withMinus } from '../../draw/numbers.js';
import { cellLabel } from '../../engine/interventions.js';
import { attentionName, depthOf } from '../../engine/plan.js';
import { markedMap } from '../../kit/map.js';
import { entryOf, unitOf } from '../../models/catalogue.js';
import { shortened } from '../../kit/letters.js';
import { meanOver } from '../shared/brush.js';
import { isWord } from '../shared/choose.js';
import { isEven } from '../../draw/even.js';
import { isOfAll, mapData, namesShown } from '../shared/weights.js';
import { heightOfMap } from '../shared/map-height.js';
import { coloursOf, selectedIn } from '../shared/words.js';

/**
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {State['quantity']} Quantity
 * @typedef {'linear' | 'root'} Colours
 */

/** @type {Record<Quantity, string>} */
const LABELS = {
  weights: 'Weights (softmax)',
  scores: 'Scores, QKᵀ',
  scaled: 'Scaled scores, QKᵀ/√dₖ',
  masked: 'Masked scores',
};

/** @type {Record<Quantity, string>} */
const SCALE_TITLES = { weights: 'Attention weight', scores: 'Score', scaled: 'Scaled score', masked: 'Masked score' };

/** @type {Record<Colours, string>} */
const COLOURS = { linear: 'Linear', root: 'Square root' };

/** @type {import('../index.js').Feature} */
export const heatmap = {
  name: 'heatmap',
  first: true,
  slot: 'main',
  nodes: ['attention'],
  needs: (query) => namesShown(query, query.state.quantity),
  frame: () => panel(),
  render(context, { set, moveCursor, selection: chosen }) {
    const { result, state, scheme } = context;
    const { quantity } = state;
    const { selection, kind, title: titleOfKind, rowWords, columnWords, row, key } = selectedIn(result, state);
    const { layer, head, mean } = selection;
    const { heads } = result.plan.settings;
    const all = result.tensors.get(attentionName(kind, layer, quantity))?.data;
    if (!all) return undefined;
    const data = mapData(result, selection, rowWords.length * columnWords.length, quantity);
    if (!data) return undefined;
    const depth = depthOf(kind, result.plan.settings);
    const isAll = isOfAll(result, selection);
    const which = mean ? `mean of ${isAll ? `all ${depth * heads}` : heads} heads` : `head ${head + 1} of ${heads}`;
    const title = `${titleOfKind}, ${isAll ? '' : `layer ${layer + 1}, `}${which}`;
    const isWeights = quantity === 'weights';
    const colours = coloursOf(state);
    const brush = state.brush.filter((each) => each < rowWords.length);
    const caption = captionIn(context, data, brush);
    const shown = {
      name: `${title}, ${quantity}`,
      matrix: {
        rows: rowWords.length,
        columns: columnWords.length,
        data,
        scheme,
        hidden: isWeights || quantity === 'masked' ? result.hidden[kind] : null,
        scale: isWeights ? probabilityScale(scheme, colours === 'root') : signedScale(scheme, roundLimit(all)),
      },
      scaleTitle: `${SCALE_TITLES[quantity]}${isWeights ? '' : ', same scale for all heads of the layer'}`,
      rowAxis: { title: 'query', noun: 'row', part: 'row', label: (/** @type {number} */ i) => rowWords[i] },
      columnAxis: { title: 'key', noun: 'column', part: 'key', label: (/** @type {number} */ i) => columnWords[i] },
      cursor: { row, column: key },
    };
    const marks = mean
      ? []
      : state.interventions.flatMap((change) =>
          change.what === 'cell' &&
          change.kind === kind &&
          change.layer === layer &&
          change.head === head &&
          change.row < rowWords.length &&
          change.key < columnWords.length
            ? [{ row: change.row, column: change.key, text: cellLabel(change, { rowWords, columnWords }) }]
            : [],
        );
    return panel(
      result.plan,
      state.layout,
      html`<div class="view-head">
        <p class="view-title">${title}</p>
        ${menu('Show', LABELS, quantity, (next) => set({ quantity: next }), { className: 'quantity' })}
        ${menu('Colours', COLOURS, colours, (next) => set({ colours: next }), {
          className: 'colours',
          hidden: !isWeights,
        })}
        <label class="mean"><input type="checkbox" .checked=${live(Boolean(mean))}
          @change=${(/** @type {Event} */ event) => set({ selection: { ...chosen(), mean: isChecked(event) } })}>
          Mean of this layer’s heads</label>
        ${
          mean && depth > 1 && result.facts.part === null
            ? html`<label class="mean"><input type="checkbox" .checked=${live(isAll)}
                @change=${(/** @type {Event} */ event) =>
                  set({ selection: { ...chosen(), mean: isChecked(event) ? 'all' : true } })}> of all layers</label>`
            : nothing
        }
        ${
          caption &&
          html`<p class="caption">${caption.map((piece) =>
            typeof piece === 'string' ? piece : html`<bdi class="quoted">${piece.word}</bdi>`,
          )} <span class="caption-hint">Click any cell to see why.</span></p>`
        }</div>`,
      markedMap(
        [shown, marks, brush],
        mapOptions((cell) => moveCursor({ row: cell.row, key: cell.column })),
      ),
    );
  },
  blank: ({ plan }, { get }) => panel(plan, get().layout, nothing, markedMap(null, mapOptions())),
};

/** @param {import('../../kit/map.js').MapOptions['onCursor']} onCursor */
const mapOptions = (onCursor = () => {}) => ({
  flattest: 3,
  uprightColumns: true,
  min: 3,
  max: 240,
  get height() {
    return heightOfMap();
  },
  empty: 'No tokens, so no attention to show.',
  onCursor,
  onEnter: openSteps,
});

const ROOT = root(sub('d', 'k'));
const PRODUCT = inRow('Q', sup('K', 'T'));
const TALL = [mathml`<mo>(</mo>`, mathml`<mo>)</mo>`]; // as high as what they enclose

/** @param {import('../../draw/math.js').Part} scores */
const formula = (scores) =>
  math('Attention', '(', 'Q', ',', 'K', ',', 'V', ')', '=', 'softmax', inRow(TALL[0], scores, TALL[1]), 'V');

const [SCALED, UNSCALED] = [formula(frac(PRODUCT, ROOT)), formula(PRODUCT)];

/**
 * The keyboard meets the map and the choices in the order in which the layout shows them.
 * @param {import('../index.js').Plan} [plan] left out: before there is one
 * @param {State['layout']} [layout] @param {unknown} [head] @param {unknown} [map]
 */
const panel = (plan, layout, head = nothing, map = nothing) => html`
  <section class="panel map-panel" aria-labelledby="map-title">
    <h2 id="map-title" class="visually-hidden">Attention of one head</h2>
    <div class="map-and-lines" data-slot="attention">
      <div id="heatmap">${layout === 'page' ? html`${head}${map}` : html`${map}${head}`}</div>
      <div class="map-foot-row" data-slot="map-foot"></div>
    </div>
    <div class="explain">
      <p class="formula">${plan?.settings.scoreScale === false ? UNSCALED : SCALED}</p>
      <p>
        Each row is a query token, each column a key token; a cell is the weight that the query gives the key. The
        softmax makes each row sum to 1; a masked cell is exactly 0.
        ${
          plan?.settings.scoreScale === false
            ? html`<span>The division by ${inlineMath(ROOT)} is switched off here.</span>`
            : nothing
        }
        <span id="why">${entryOf(/** @type {any} */ (plan?.model))?.why}</span>
      </p>
      <p>
        The lines show the same weights: the wider a line, the larger the weight. Where many lines meet, many queries
        attend to the same key.
      </p>
    </div>
  </section>`;

/** Opens the steps and moves the focus there; Escape leads back. @param {HTMLElement} cells that had it */
function openSteps(cells) {
  const title = document.getElementById('computation-title');
  const section = title?.closest('section');
  if (!title || !section?.checkVisibility()) return;
  title.tabIndex = -1;
  title.ariaDescription = 'Escape leads back to the map.';
  title.focus({ preventScroll: true });
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  section.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'nearest' });
  section.onkeydown = (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    cells.focus();
  };
}

/**
 * The sentence that describes the map.
 * @param {import('../index.js').Context} context @param {Float32Array} data of the map
 * @param {number[]} brush the rows that are selected together
 */
function captionIn({ result, state }, data, brush) {
  const { quantity } = state;
  const { selection, kind, stack, columnStack, rowWords, columnWords, row, key } = selectedIn(result, state);
  const { layer, head, mean } = selection;
  if (brush.length && quantity === 'weights')
    return captionOfSeveral({
      words: brush.map((each) => rowWords[each]),
      columnWords,
      means: meanOver(data, columnWords.length, brush),
    });
  const { tokens, settings, interventions, model } = result.plan;
  const writes = Boolean(tokens[stack]?.predicted);
  const rowAt = [row * columnWords.length, (row + 1) * columnWords.length];
  return captionOf({
    unit: unitOf(model),
    word: rowWords[row],
    writes,
    columnWords,
    values: data.subarray(...rowAt),
    hidden: result.hidden[kind].subarray(...rowAt),
    row: stack === columnStack && !writes ? row : -1,
    key,
    quantity,
    heads: mean ? settings.heads : 0,
    layers: isOfAll(result, selection) ? depthOf(kind, settings) : 0,
    off: interventions.some(
      (each) => each.what === 'head' && !each.to && each.kind === kind && each.layer === layer && each.head === head,
    ),
  });
}

/**
 * `values`: the row; `hidden`: what the mask hides of it, or null. `row`: its key where rows and columns are the same
 * tokens, else −1; `key`: the pinned column. `writes`: the row is called by the word that is written there. `heads`:
 * how many were averaged, 0 where it is one head; `layers`: so many are averaged, 0: one; `off`:
 * that head is set to 0; `unit`: what a token is called.
 * @typedef {{
 *   unit: 'word' | 'token', word: string, writes: boolean, columnWords: string[], values: Float32Array,
 *   hidden: Uint8Array | null, row: number, key: number, quantity: Quantity, heads: number,
 *   off: boolean, layers?: number,
 * }} CaptionData
 *
 * A piece of a sentence: text, or a word of the reader's.
 * @typedef {string | {word: string}} Piece
 */

const LONGEST = 25; // UTF-16 code units of a word, with the sign that it goes on
const MOST = 0.5; // of the attention, on one key
const BOTH = 0.7; // on two
const MOST_NAMED = 3; // keys with the same number
const MOST_LISTED = 6; // words of a selection

/** @type {Record<string, string>} */
const SCORES = { scores: 'score', scaled: 'scaled score', masked: 'score after the mask' };

/** @param {string} word */
const short = (word) => ({ word: shortened(word, LONGEST) });

/** @param {CaptionData} data @returns {Piece[] | null} null: there is nothing to say */
export function captionOf({ unit, word, writes, columnWords, values, hidden, row, key, quantity, heads, layers, off }) {
  const isWeights = quantity === 'weights';
  const open = [...values.keys()].filter((at) => !((isWeights || quantity === 'masked') && hidden?.[at]));
  const order = open.toSorted((a, b) => values[b] - values[a]);
  const [first, second] = order;
  const [most, next] = [values[first], values[second]];
  const sum = open.reduce((so, at) => so + values[at], 0);
  const over = layers ? `all ${layers * heads}` : `the layer’s ${heads}`;
  const end = heads ? `, on average over ${over} heads.` : off ? ', but this head is off.' : '.';
  /** @param {...(Piece | Piece[])} pieces */
  const say = (...pieces) => [
    ...(writes ? ['To write '] : isWeights ? [] : ['For ']),
    short(word),
    ...(writes && isWeights ? [', the model'] : []),
    ...pieces.flat(),
    end,
  ];
  /** Between two places a full stop is a token, and no word. @param {number} from @param {number} to */
  const unitOf = (from, to) => (columnWords.slice(from, to + 1).every(isWord) ? unit : 'token');
  /** A key, and where it stands if its word does not tell. @param {number} at @returns {Piece[]} */
  const named = (at) => {
    const name = columnWords[at];
    const steps = Math.abs(at - row);
    if (!steps) return ['itself'];
    const isPlain = row < 0 || (steps > 1 && columnWords.indexOf(name) === columnWords.lastIndexOf(name));
    const between = unitOf(Math.min(at, row), Math.max(at, row));
    const far = steps > 1 ? `${steps} ${between}s` : `the ${between}`;
    return [short(name), isPlain ? '' : `, ${far} ${at < row ? 'before' : 'after'} it`];
  };
  /** The keys whose number is written as the largest one. @param {(value: number) => unknown} write */
  const ties = (write) => order.filter((at) => write(values[at]) === write(most));
  /** One key or all that share a number. @param {number[]} keys @returns {Piece[]} */
  const all = (keys) =>
    keys.length > MOST_NAMED
      ? [`${keys.length} keys`]
      : keys.flatMap((at, i) => [i ? (i === keys.length - 1 ? ' and ' : ', ') : '', ...named(at)]);
  if (isWeights && hidden?.[key])
    return say(' may not attend to ', short(columnWords[key]), ': the mask hides it, so its weight is 0');
  if (!open.length || sum !== sum) return null;
  if (!isWeights) {
    const number = withMinus(most.toFixed(2));
    return say(`, the highest ${SCORES[quantity]}, ${number}, is that of `, all(ties((value) => value)));
  }
  if (!open[1]) return say(` can attend to no ${unit} but `, named(first));
  if (Math.abs(sum - 1) > 0.01)
    return say(` has the largest weight, ${most.toFixed(2)}, on `, all(ties((value) => value.toFixed(2))));
  const same = ties(formatShare);
  if (most >= MOST && same.length < 2) return say(` gives ${formatShare(most)} of its attention to `, named(first));
  if (most + next >= BOTH)
    return say(
      ` gives ${formatShare(most)} of its attention to `,
      named(first),
      `; ${formatShare(next)} to `,
      named(second),
    );
  const bound = `no ${unit} gets more than ${Math.ceil(100 * most)}\u00a0%`;
  if (isEven(open.map((at) => values[at]))) return say(` spreads its attention almost evenly: ${bound}`);
  const entropy = open.reduce((so, at) => so - (values[at] && values[at] * Math.log(values[at])), 0);
  if (Math.exp(entropy) > open.length / 2) return say(` spreads its attention: ${bound}`);
  const share =
    same.length > 1 ? `${formatShare(most)} of its attention each` : `${formatShare(most)} of its attention`;
  return say(` attends most to `, all(same), `, with ${share}`);
}

/**
 * Several rows together: the key with the largest weight on average, or those that share it.
 * @param {{words: string[], columnWords: string[], means: number[]}} data `words`: of the rows
 * @returns {Piece[]}
 */
export function captionOfSeveral({ words, columnWords, means }) {
  const list = (/** @type {Piece[]} */ all) =>
    all.flatMap((each, i) => [i ? (i === all.length - 1 ? ' and ' : ', ') : '', each]);
  const most = Math.max(...means);
  const keys = [...means.keys()].filter((at) => formatShare(means[at]) === formatShare(most));
  const named = (/** @type {string[]} */ all, /** @type {string} */ noun) =>
    all.length > MOST_LISTED ? [`${all.length} ${noun}`] : list(all.map(short));
  const each = keys.length > 1 ? ' each' : '';
  return [
    ...named(words, 'queries'),
    ` attend${words.length > 1 ? '' : 's'} most to `,
    ...named(
      keys.map((at) => columnWords[at]),
      'keys',
    ),
    `, with ${formatShare(most)} of ${words.length > 1 ? 'their' : 'its'} attention${each} on average.`,
  ];
}

/** @type {[name: string, lines: boolean][]} */
const TABS = [
  ['Map', false],
  ['Lines', true],
];

/** @type {import('../index.js').InputFeature} */
export const attentionTabs = {
  name: 'attention-tabs',
  slot: 'map-foot',
  input: true,
  render: ({ state: { lines } }, { set }) => html`<div id="attention-tabs" class="tabs" role="group"
    aria-label="Show the head as">${TABS.map(
      ([name, its]) => html`<button type="button" class="plain" aria-pressed=${lines === its}
        @click=${() => set({ lines: its })}>${name}</button>`,
    )}</div>`,
};
