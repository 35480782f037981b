// The attention of the selected head as arcs over the sentence: above a line of words, or between its lines.

import { html } from 'lit-html';
import { arcsOf, createArcs } from '../../draw/arcs.js';
import { component } from '../../kit/component.js';
import { namesShown, weightsAt } from '../shared/weights.js';

/** @typedef {import('../../engine/plan.js').Stack} Stack */

/** @type {import('../index.js').Feature} */
export const arcs = {
  name: 'arcs',
  slot: 'input',
  first: true,
  typing: true, // an unknown word moves the others
  needs: (query) => namesShown(query),
  render({ result, state }) {
    const now = weightsAt(result, state);
    if (!now) return result.plan.settings.heads ? undefined : null;
    // The head that a change of a feature moves most, instead of the selected one.
    const [, moved] = [...result.derived].find(([name]) => name.startsWith('@feature-moved')) ?? [];
    if (state.face === 'features' && moved?.arcs)
      return html`${overWords({ rows: now.stack, keys: now.stack, arcs: moved.arcs, isOff: false })}`;
    const { stack, columnStack } = now;
    const isSelf = stack === columnStack;
    // A generated target shows what the decoder wrote; it read the word before, so every arc would be off by one.
    if ((isSelf && result.plan.tokens[stack]?.predicted) || now.row < 0 || now.key < 0) return null;
    const all = arcsOf({ ...now, isSelf }, state.grown ?? Infinity);
    return html`${overWords({ rows: stack, keys: columnStack, arcs: all, isOff: isOff(result, now) })}`;
  },
};

const overWords = component((root) => {
  root.id = 'arcs';
  const { update, destroy } = createArcs(root);
  return {
    destroy,
    /** @param {{rows: Stack, keys: Stack, arcs: import('../../draw/arcs.js').Arc[], isOff: boolean}} data */
    update: ({ rows, keys, ...data }) => update({ ...data, rows: () => stripOf(rows), keys: () => stripOf(keys) }),
  };
});

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {{selection: import('../../app/schema.js').Selection}} shown
 */
function isOff({ plan: { interventions } }, { selection: { kind, layer, head, mean } }) {
  return (
    !mean &&
    interventions.some(
      (each) => each.what === 'head' && !each.to && each.kind === kind && each.layer === layer && each.head === head,
    )
  );
}

/** @param {Stack} stack */
const stripOf = (stack) => /** @type {HTMLElement | null} */ (document.querySelector(`#tokens-${stack} .tokens`));
