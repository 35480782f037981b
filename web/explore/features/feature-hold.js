// Whether what a switched-off feature does holds: the same feature off in all sentences of the text's kind.

import { html, nothing } from 'lit-html';
import { tableOf } from '../../draw/figure.js';
import { formatShare } from '../../draw/numbers.js';
import { sentenceOf } from '../../draw/sentence.js';
import { figure } from '../../kit/figure.js';
import { isOfFeature } from '../../engine/interventions.js';
import { foundIn, ofFeature } from '../shared/dictionary.js';
import { visibleWords } from '../shared/words.js';
import style from './feature-hold.css';

/**
 * @typedef {import('../derived/features-hold.js').Hold} Hold
 * @typedef {import('../derived/features-hold.js').Tried} Tried
 */

const SHOWN = 4; // words of a sentence, its end

/** @param {Pick<import('../index.js').State, 'selection'> & Partial<import('../index.js').State>} state */
const holdName = (state) => ofFeature('features-hold', state);

/** @type {import('../index.js').Feature} */
export const featureHold = {
  name: 'feature-hold',
  style,
  needs: ({ state }) => (state.interventions?.some(isOfFeature) ? holdName(state) : []),
  render({ result, state, modelInfo }, { set }) {
    const now = foundIn(result, state);
    if (!now || !state.interventions.some(isOfFeature)) return null;
    /** @type {Hold | {absent: true} | undefined} */
    const hold = result.derived.get(holdName(state)[0]);
    if (!hold || 'absent' in hold) return hold ? null : undefined;
    if (!hold.active) return null;
    const vocabulary = visibleWords([...(modelInfo?.vocabulary ?? [])]);
    const output = visibleWords([...(modelInfo?.outputVocabulary ?? [])]);
    const [first, second] = namesOf(hold, output);
    const { sentences, active, led, turned, next, missed } = hold;
    /** @param {Tried} of @param {string} [before] */
    const shown = ({ ids, words: two, after }, before = '') => {
      const words = ids.map((id) => vocabulary[id]);
      const at = after[1] > after[0] ? 1 : 0;
      return html`<span>${before}<button type="button" class="plain hold-sentence" title="Read “${sentenceOf(words)}”"
          @click=${() => set({ text: words.join(' ') })}>… <bdi>${sentenceOf(words.slice(-SHOWN))}</bdi></button></span>
        <b>${output[two[at]]} ${formatShare(after[at])}</b>`;
    };
    const tables = () => [
      tableOf(
        'Does it hold?',
        ['sentences'],
        [
          ['of this kind', sentences],
          ['the feature is active', active],
          [`${first} leads with it`, led],
          [`${second} overtakes it without`, turned],
        ],
      ),
    ];
    return html`<section class="panel picture feature-hold-panel" aria-labelledby="feature-hold-title">
      <h2 id="feature-hold-title">Does it hold?</h2>
      <div id="feature-hold" ${figure({ name: 'Does it hold?', tables })}>
        <p class="hint">The same feature off in ${sentences} other sentences, with other nouns and adjectives of the
          same kinds</p>
        <ul class="hold">
          ${next ? html`<li>${shown(next)}</li>` : nothing}
          <li><span>it is active in</span> <b>${active} of ${sentences}</b></li>
          <li><span>${second} overtakes ${first} in</span> <b>${turned} of ${led}</b></li>
          ${missed ? html`<li class="hold-missed">${shown(missed, 'not in ')}</li>` : nothing}
          <li><button type="button" class="primary"
            @click=${() => document.getElementById('text')?.focus()}>Try your own sentence</button></li>
        </ul></div></section>`;
  },
};

/** Classes of nouns in a reader's words. @type {[RegExp, string][]} */
const KINDS = [
  [/^animal noun/, 'animal'],
  [/^(man|woman) noun/, 'person'],
  [/^\w+ noun/, 'thing'],
];

/** Names for the two that contend: their kinds, or the words. @param {Hold} hold @param {string[]} output */
function namesOf({ words, kinds }, output) {
  const found = kinds.map((kind) => KINDS.find(([pattern]) => pattern.test(kind))?.[1]);
  const isClear = found[0] !== found[1];
  return words.map((id, i) => (isClear && found[i] ? `the ${found[i]}` : `“${output[id]}”`));
}
