// A notebook's widget (anywidget): the model and its parts follow the traits, and tell what the reader chooses back.

const TRAITS = /** @type {const} */ (['name', 'src', 'text', 'head', 'word', 'key', 'neuron']);

/**
 * The part of anywidget's model that is used.
 * @typedef {object} Widget
 * @property {(trait: string) => any} get undefined for a trait that the widget has not
 * @property {(trait: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, listener: () => void) => void} on
 * @property {(event: string, listener: () => void) => void} off
 */

/**
 * @param {{model: Widget, el: HTMLElement}} widget its trait `parts` names elements, default 'sentence heatmap'
 * @returns {() => void} ends it
 */
function render({ model, el }) {
  const element = /** @type {any} */ (document.createElement('glass-model'));
  for (const name of String(model.get('parts') ?? 'sentence heatmap').split(/\W+/))
    element.append(document.createElement(`glass-${name}`));
  const own = TRAITS.filter((trait) => model.get(trait) !== undefined);
  const follow = () => own.forEach((trait) => (element[trait] = model.get(trait) ?? undefined));
  const tell = () => {
    own.forEach((trait) => model.set(trait, element[trait] ?? null));
    model.save_changes();
  };
  follow();
  el.append(element);
  element.addEventListener('choose', tell);
  for (const trait of own) model.on(`change:${trait}`, follow);
  return () => {
    for (const trait of own) model.off(`change:${trait}`, follow);
    element.remove();
  };
}

/** The elements as a widget of a notebook, in anywidget's form. */
export const widget = { render };
