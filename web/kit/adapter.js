// Shows a feature that is not written as web/kit/feature.js says yet: a panel or an input with its own view.
// It goes with the last of them.

import { html, render } from 'lit-html';

/**
 * @param {import('../explore/index.js').Legacy} legacy
 * @param {HTMLElement} slot
 * @param {any} tools
 * @param {Node | null} [before] left out, it stands at the end of the slot
 * @returns {import('./feature.js').PlacedFeature}
 */
export function placeLegacy(legacy, slot, tools, before = null) {
  const { name, section = html`<div id=${name}></div>` } = legacy;
  const { input, present, blank, create, required, isFirst, isAside, showsTyping } = /** @type {any} */ (legacy);
  const fragment = document.createDocumentFragment();
  render(section, fragment);
  const elements = [...fragment.children];
  slot.insertBefore(fragment, before);
  const element = /** @type {HTMLElement} */ (document.getElementById(name));
  const view = create?.(element, tools);
  const optional = /** @type {HTMLElement | null} */ (present ? element?.closest('[data-optional]') : null);
  /** @param {any} data */
  const update = (data) => {
    if (data === undefined) return;
    if (optional) optional.hidden = data === null; // before the view measures its space
    view?.update(data);
  };
  return {
    feature: /** @type {any} */ ({
      ...legacy,
      ...(input ? { input: true } : {}),
      ...(present || input ? { render: true } : {}),
      first: isFirst,
      aside: isAside,
      typing: showsTyping,
    }),
    needs: (query) => required?.(query) ?? [],
    show: (context) => update((present ?? input)(context)),
    blank: (query) => update(blank ? blank(query) : null),
    hide(away) {
      for (const each of elements) each.toggleAttribute('data-away', away);
    },
  };
}
