// Buttons that replace a computed value with another one, and a field for any number.

import { html, nothing, render } from 'lit-html';
import { createNumberFields } from '../../draw/number-field.js';

/**
 * One value that can be set. `of` says which one, and is handed back to `onSet` with the fields of a choice; `now`:
 * what stands in its place, null: it is as computed; `range`: of the number that may be typed, null: none may.
 * @typedef {{to: number | 'mean'} | {from: number[] | 'mean', share: number}} Choice
 * @typedef {{
 *   label: string, hint: string, of: unknown, choices: Record<string, Choice>,
 *   range: [number, number] | null, now: Record<string, any> | null,
 * }} Intervention
 */

/**
 * @param {HTMLElement} root
 * @param {{onSet: (of: unknown, choice: Choice | null) => void}} options `choice` null: as computed
 */
export function create(root, { onSet }) {
  /** @type {Intervention[] | null} */
  let shown = null;
  const draw = () => render(shown?.map(group) ?? nothing, root);
  const field = createNumberFields(draw);

  /** @param {Intervention} intervention */
  const group = ({ label, hint, of, choices, range, now }) => html`<div class="intervention" role="group"
    aria-label=${label}>
    <bdi>${label}</bdi>
    ${Object.entries(choices).map(
      ([name, choice]) => html`<button type="button" aria-pressed=${isMade(now, choice)}
      @click=${() => onSet(of, isMade(now, choice) ? null : choice)}>${name}</button>`,
    )}
    ${
      range
        ? field(
            {
              name: label,
              label: 'Set to',
              min: range[0],
              max: range[1],
              value: typeof now?.to === 'number' ? String(Number(now.to.toFixed(4))) : '',
            },
            (to) => onSet(of, { to }),
            () => onSet(of, null),
          )
        : nothing
    }
    ${
      range && now !== null
        ? html`<button type="button" @click=${() => onSet(of, null)}>Computed value</button>`
        : nothing
    }
    ${hint ? html`<span class="hint">${hint}</span>` : nothing}</div>`;

  return {
    /** @param {Intervention[] | null} data */
    update(data) {
      root.hidden = !data?.length;
      shown = data;
      draw();
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {Intervention['now']} now @param {Choice} choice */
const isMade = (now, choice) =>
  Boolean(now) && Object.entries(choice).every(([name, value]) => String(now?.[name]) === String(value));
