// One shared hover: whatever is pointed at, or has the keyboard's focus, is lit wherever it stands on the page.
//
// An element says by its data attributes what it stands for: data-row and data-key, a query and a key of the selected
// attention; data-head, 'encoder 0 1'; data-neuron, data-dimension; data-stage of the residual stream. A token that is
// a query where it is pointed at and lit as a key too has data-as-key. Maps send the event 'point', and like all that
// has data-lights they are sent 'highlight' (draw/lit.js). This is no state: it changes no number and no address.

const PARTS = /** @type {const} */ (['row', 'key', 'head', 'neuron', 'dimension', 'stage']);
const STANDING = PARTS.map((part) => `[data-${part}]`).join();

/** @typedef {Partial<Record<typeof PARTS[number], string>>} Highlight */

/**
 * The parts that an element and those around it stand for.
 * @param {Element | null} element
 * @returns {Highlight}
 */
function standsFor(element) {
  /** @type {Highlight} */
  let parts = {};
  for (let at = element?.closest(STANDING); at; at = at.parentElement?.closest(STANDING)) {
    const { dataset } = /** @type {HTMLElement} */ (at);
    const own = PARTS.flatMap((part) => (dataset[part] ? [[part, dataset[part]]] : []));
    parts = { ...Object.fromEntries(own), ...parts };
  }
  return parts;
}

/**
 * Whether something is lit: it has a part in common with what is pointed at, and none that is another.
 * @param {Highlight} own
 * @param {Highlight} pointed
 */
export function isLit(own, pointed) {
  const common = PARTS.filter((part) => own[part] !== undefined && pointed[part] !== undefined);
  return common.length > 0 && common.every((part) => own[part] === pointed[part]);
}

/** @param {HTMLElement} root */
export function createHighlight(root) {
  /** @type {Element | null} what is pointed at; a map, whose cell is `now` */
  let source = null;
  let inMap = false;
  /** @type {Highlight} */
  let now = {};
  let frame = 0;
  let pointer = { x: NaN, y: NaN };
  /** @type {Set<HTMLElement>} */
  let lit = new Set();

  function show() {
    frame = 0;
    if (!inMap) now = source?.isConnected ? standsFor(source) : {};
    const selectors = PARTS.flatMap((part) => {
      const value = now[part];
      return value === undefined ? [] : [`[data-${part}="${CSS.escape(value)}"]`];
    });
    if (now.key !== undefined) selectors.push(`[data-as-key="${CSS.escape(now.key)}"]`);
    const found = selectors.length ? root.querySelectorAll(selectors.join()) : [];
    const next = new Set(
      [.../** @type {Iterable<HTMLElement>} */ (found)].filter(
        ({ dataset }) => isLit(dataset, now) || (now.key !== undefined && dataset.asKey === now.key),
      ),
    );
    for (const each of lit) if (!next.has(each)) delete each.dataset.lit;
    for (const each of next) each.dataset.lit = '';
    lit = next;
    for (const each of root.querySelectorAll('[data-lights]'))
      each.dispatchEvent(new CustomEvent('highlight', { detail: now }));
  }

  const soon = () => void (frame ||= requestAnimationFrame(show));

  /** @param {EventTarget | null} element */
  function point(element) {
    source = /** @type {Element | null} */ (element);
    inMap = false;
    soon();
  }

  root.addEventListener('pointermove', ({ target, pointerType, clientX, clientY }) => {
    // A page that moves below a pointer at rest does not take the place of the keyboard's focus.
    if (pointerType === 'touch' || (clientX === pointer.x && clientY === pointer.y)) return;
    pointer = { x: clientX, y: clientY };
    if (target !== source && !(inMap && source?.contains(/** @type {Element} */ (target)))) point(target);
  });
  root.addEventListener('pointerleave', () => point(null));
  root.addEventListener('focusin', ({ target }) => {
    // a map says itself which of its cells has the cursor
    if (/** @type {Element} */ (target).matches(':focus-visible:not([data-lights])')) point(target);
  });
  root.addEventListener('focusout', () => point(null));
  root.addEventListener('point', (event) => {
    const { detail } = /** @type {CustomEvent<Record<string, string | number>>} */ (event);
    source = /** @type {Element} */ (event.target);
    inMap = true;
    now = Object.fromEntries(Object.entries(detail).map(([part, value]) => [part, String(value)]));
    soon();
  });
  point([...root.querySelectorAll(':hover, :focus-visible')].at(-1) ?? null);

  return {
    /** After an update: elements may stand for something else now. */
    refresh() {
      if (source) soon();
    },
  };
}
