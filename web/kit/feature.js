// A feature of a place, and how the page shows it.
//
// One feature is one file, web/PLACE/features/NAME.js, with its style NAME.css beside it, and one line in the list of
// its place (web/explore/index.js). It is plain data and pure functions:
//
//   /** @type {import('../index.js').Feature} */
//   export const norms = {
//     name: 'layer-norm',                        // unique in its place
//     slot: 'why',                               // the element with this data-slot that it stands in
//     nodes: ['norm'],                           // of the model graph, where the workspace shows it
//     local: { line: 0 },                        // what it remembers for itself, beside the state
//     needs: ({ plan, state, modelInfo }) => ['@norm/encoder/0/1'],       // tensors and '@derived' values
//     render: ({ result, state, scheme, modelInfo, pinned, local }, { set, get, local: remember }) =>
//       html`<section class="panel" aria-labelledby="layer-norm-title">…</section>`,
//   };
//
// `render` returns the whole markup. null: there is nothing to show; undefined: its values are not here yet, and the
// markup there stays. It may be called at any time, so it changes nothing; listeners in the template call `set` or
// `remember`, and it is called once for all that a listener changes. Steps that happen once for the page, such as
// adding a listener to the document, are in `begin(tools)`.
// Without `nodes` it is shown at all of them.
// `blank` is shown in place of `render` while the text is empty or the first result is refused; left out, nothing is;
// where it gives undefined, what stands there stays.
// `frame` is shown until then: it holds the slots of other features, in elements that `render` keeps.
// `input: true`: it needs no result and is shown before there is one (see InputContext).
// `first`: the reader sees it while typing, so it is drawn before the others. `aside`: the page opens without it.
// `typing`: it also shows what changes when no token does.
//
// A late feature has its own row in the list, and nothing else does: { name, slot, nodes, load, when }, and what the
// page must know before its code is here (`input`, `aside`). Its code is fetched when it is first to be shown, and
// `when` holds; so its file has no slot and no nodes, and brings its style with it: `import style from './NAME.css'`,
// and the field `style`. So do the features of Train and Claims, which come with their place. The build appends all
// other NAME.css to the page's.
// Where `load` waits for the reader, as when.js says, it is fetched no sooner. `wait` is shown meanwhile, and with a
// function `again` where it could not be fetched; left out, nothing is, and the next update tries again.
//
// Maps, legends and other views that keep a canvas are directives: map.js, component.js; figure.js saves a figure and
// scrolls to a row. Their rule: nothing is measured before the microtask after the first render.
//
// Tests: tests/web/explore/features/, tables in jsdom without a browser (tests/web/explore/table.js).

import { nothing, render } from 'lit-html';

/**
 * @template Context, Query, Tools
 * @typedef {{
 *   name: string, slot?: string, nodes?: string[], input?: boolean, first?: boolean, aside?: boolean, typing?: boolean,
 *   style?: string, local?: any,
 *   needs?: (query: Query) => string[],
 *   render: (context: Context & {local: any}, tools: Tools & LocalTools) => Template,
 *   blank?: (query: any, tools: Tools & LocalTools) => Template,
 *   begin?: (tools: Tools & LocalTools) => void, frame?: () => Template,
 * }} Feature
 */

/** @typedef {import('lit-html').TemplateResult | null | undefined} Template */
/** @typedef {{local: (patch: object) => void}} LocalTools */

/**
 * @template {Feature<any, any, any>} F
 * @typedef {Omit<F, 'render' | 'needs' | 'blank' | 'local' | 'begin' | 'frame' | 'style'> & {
 *   load: () => Promise<F>, when?: (query: any) => boolean,
 *   wait?: (context: any, again: (() => void) | null) => Template,
 * }} LateFeature
 */

/** @typedef {ReturnType<typeof placeFeature>} PlacedFeature */

/** Whether it is to be shown. @param {Feature<any, any, any> | LateFeature<any>} row @param {any} query */
const isWanted = (row, query) => !('when' in row && row.when && !row.when(query));

/**
 * Puts a feature into its slot.
 * @param {Feature<any, any, any> | LateFeature<any>} row
 * @param {HTMLElement} slot
 * @param {object} tools
 * @param {() => Promise<void>} refresh asks for what a feature needs whose code has come, and shows it
 * @param {Node | null} [before] what it stands before; null: at the end
 */
export function placeFeature(row, slot, tools, refresh, before = null) {
  const [start, end] = [document.createComment(row.name), document.createComment('')];
  for (const each of [start, end]) slot.insertBefore(each, before);
  /** @type {Feature<any, any, any> | null} */
  let feature = null;
  /** @type {Promise<void> | null} */
  let loading = null;
  /** Fetches it once more, where it could not be. @type {(() => void) | null} */
  let again = null;
  /** @type {any} */
  let local;
  /** @type {any} */
  let shown = null;
  let isDue = false; // `local` has changed since it was drawn

  const own = {
    ...tools,
    /** Draws once the listener has ended, with all else that it sets. @param {object} patch */
    local(patch) {
      local = { ...local, ...patch };
      isDue = true;
      queueMicrotask(() => isDue && shown && draw(shown));
    },
  };

  /** @param {Template} template */
  const put = (template) => void (template !== undefined && render(template ?? nothing, slot, { renderBefore: end }));

  /** @param {Feature<any, any, any>} ready */
  function begin(ready) {
    feature = ready;
    ({ local } = ready);
    if (ready.style) addStyle(ready.style);
    ready.begin?.(own);
    if (ready.frame) put(ready.frame());
  }
  if (!('load' in row)) begin(row);

  /** Whether it can be shown; fetches its code if that is missing. @param {any} query */
  function isReady(query) {
    if (!('load' in row)) return true;
    if (!isWanted(row, query)) return false;
    if (!feature) loading ??= fetchCode(row.load);
    return feature !== null;
  }

  /** @param {() => Promise<Feature<any, any, any>>} load */
  async function fetchCode(load) {
    try {
      begin(await load());
    } catch (error) {
      if (!('wait' in row)) {
        loading = null; // the next update tries again
        throw error;
      }
      again = () => {
        loading = again = null;
        refresh();
      };
    }
    await refresh();
  }

  /** @param {any} context */
  function draw(context) {
    shown = context;
    isDue = false;
    put(feature?.render({ ...context, local }, own));
  }

  return {
    feature: row,
    /** @param {any} query @returns {string[]} */
    needs: (query) => (isReady(query) ? (feature?.needs?.(query) ?? []) : []),
    /** @param {any} context */
    show(context) {
      const query = { plan: context.result?.plan, ...context };
      if (isReady(query)) return draw(context);
      shown = null;
      put(('wait' in row && isWanted(row, query) && row.wait?.(context, again)) || null);
    },
    /** @param {any} query @returns {void} */
    blank(query) {
      if ('load' in row && !row.when) isReady(query);
      const template = feature?.blank ? feature.blank(query, own) : null;
      if (template !== undefined) shown = null;
      put(template);
    },
    /** @param {boolean} away whether another node is shown, and this one waits where it stands */
    hide(away) {
      for (let each = start.nextSibling; each !== end && each; each = each.nextSibling)
        if (each instanceof Element) each.toggleAttribute('data-away', away);
    },
  };
}

/** The reader opens a fold for the first time, or it is open. @param {string} id @returns {Promise<void>} */
export const opened = (id) =>
  new Promise((resolve) => {
    const box = /** @type {HTMLDetailsElement} */ (document.getElementById(id));
    const look = () => box.open && resolve();
    box.addEventListener('toggle', look);
    look();
  });

/**
 * The reader points at something in an element, or moves the focus there.
 * @param {string} id
 * @returns {Promise<Event>}
 */
export const pointed = (id) =>
  new Promise((resolve) => {
    for (const type of ['pointerover', 'focusin', 'pointerdown'])
      document.getElementById(id)?.addEventListener(type, resolve, { once: true, passive: true });
  });

// Styles that are fetched with what they belong to.

/**
 * Adds a sheet to the document, which a strict Content-Security-Policy allows.
 * @param {string} css
 */
export function addStyle(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
