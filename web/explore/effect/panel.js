// What the interventions do downstream: the answers of the model as built beside those of the changed one.

import { beforeName } from '../shared/before.js';
import { likeliest, turned } from './compare.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
import * as view from './view.js';
import { lookedAt, visibleWords } from '../shared/words.js';

/** @type {import('../index.js').Panel<import('./view.js').EffectData>} */
export const effect = {
  name: 'effect',
  required: ({ plan }) =>
    plan.base ? [beforeName(plan), ...(plan.hasLogits ? ['logits', PROBABILITIES] : ['output'])] : [],
  present({ result, state, modelInfo }) {
    const { plan, derived, tensors } = result;
    if (!plan.base || result.facts.part !== null) return null;
    const before = derived.get(beforeName(plan));
    const after = tensors.get(plan.hasLogits ? 'logits' : 'output');
    if (!before || !after) return undefined;
    const { stack, rowWords, row } = lookedAt(result, state);
    const width = after.shape[2];
    if (!plan.hasLogits || !modelInfo) {
      const inStack = !plan.tokens.decoder || stack === 'decoder'; // the output is the decoder's, if there is one
      return {
        words: null,
        vector: inStack ? { word: rowWords[row], distance: before.distances[row], length: before.lengths[row] } : null,
      };
    }
    const own = plan.tokens.decoder ?? plan.tokens.encoder;
    const outWords = modelInfo.outputVocabulary;
    const rows = visibleWords(own?.words ?? []);
    const at = plan.generate && stack === 'encoder' ? null : row; // a source word has no answer
    const probabilities = derived.get(PROBABILITIES);
    const [one, two] = [before.probabilities.data, probabilities.data];
    /** @param {number[] | null} ids */
    const text = (ids) =>
      ids &&
      ids
        .map((id) => outWords[id])
        .filter((word) => word !== '[EOS]')
        .join(entryOf(/** @type {any} */ (plan.model))?.joint ?? ' ');
    return {
      vector: null,
      words: {
        at:
          at === null
            ? null
            : {
                word: rows[at],
                nats: before.nats[at],
                list: likeliest(one, two, at, width).map(({ id, ...both }) => ({ word: outWords[id], ...both })),
              },
        rows: rows.length,
        turned: turned(one, two, width).map(({ row: each, from, to }) => ({
          row: each,
          word: rows[each],
          nats: before.nats[each],
          from: { ...from, word: outWords[from.id] },
          to: { ...to, word: outWords[to.id] },
        })),
        written: plan.generate ? { before: text(before.written) ?? '', after: text(before.rewritten) ?? '' } : null,
        continues: plan.settings.kind === 'decoder',
      },
    };
  },
  create: (root, { moveCursor, get, set, plan }) =>
    view.create(root, {
      onRow(row) {
        moveCursor({ row });
        const { selection } = get();
        if (plan().generate && selection.kind === 'encoder') set({ selection: { ...selection, kind: 'cross' } });
      },
    }),
};
