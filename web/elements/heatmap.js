import { probabilityScale, roundLimit, signedScale } from '../draw/color.js';
import { createMap } from '../draw/map.js';
import { HTMLBase, createShadow, drawSoon, report, takeEarly } from './element.js';
import { GlassformerError, PARTS, checkMatrix } from './matrix.js';
import { choose, follow, shareChoice } from './model.js';
import { createTable } from './table.js';

/** @import { Scheme } from '../draw/color.js' */
/** @import { Cell, GlassHeatmapBase, MatrixInput } from './types.js' */

const Base = /** @type {new () => GlassHeatmapBase} */ (/** @type {unknown} */ (HTMLBase));

/** The parts that are set. @param {MatrixInput} input @returns {MatrixInput} */
const known = (input) => Object.fromEntries(Object.entries(input).filter(([, value]) => value != null));

const NOTHING = { rowLabels: [''], columnLabels: [''] };

/**
 * A matrix to be read: `matrix` sets all at once, each part is a property too. Rows of numbers are one, and so is a
 * tensor of the engine: its last two axes, at 0 of those before. The element also takes the attributes `label` and
 * `scale`, and `matrix` as JSON in a child `<script type="application/json">`. Inside a `<glass-model>` it shows the
 * chosen head until it has a matrix of its own.
 * When the reader moves the cursor, it fires 'cursor' with row, column and value in `detail`.
 *
 * Setting a property never throws, as that would take down the React page around it. A mistake stands in the place of
 * the map, and goes to the page's console.
 * @example
 * <glass-heatmap label="Attention, layer 1, head 1"></glass-heatmap>
 * <script type="module">
 *   import 'glassformer/elements';
 *   const words = ['the', 'creek', 'was'], data = [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.25, 0.5, 0.25]];
 *   document.querySelector('glass-heatmap').matrix = { data, rowLabels: words, columnLabels: words };
 * </script>
 */
export class GlassHeatmap extends Base {
  static observedAttributes = ['label', 'scale', 'head', 'word', 'key'];

  static {
    shareChoice(this);
    for (const name of PARTS) {
      Object.defineProperty(this.prototype, name, {
        get() {
          return this.#input[name] ?? this.#parts?.[name];
        },
        // Whether the parts fit together is seen when all of them are set.
        set(value) {
          this.#change({ ...this.#input, [name]: value });
        },
      });
    }
  }

  /** @type {MatrixInput} */
  #input = {};
  /** @type {{parts: import('./matrix.js').Parts | null, error: Error | null} | null} null: not checked yet */
  #checked = null;
  /** @type {Cell} */
  #cursor = { row: 0, column: 0 };
  /** @type {{update: (known?: Scheme | null) => void, schemeOf: () => Scheme, destroy: () => void} | null} */
  #view = null;
  /** @type {MatrixInput} the map of the model around it, which its own matrix replaces */
  #ofModel = {};
  /** @type {Error | null} */
  #modelError = null;
  #leave = () => {};

  /**
   * All that was set. Null takes it away; rows of numbers are `data`.
   * @example
   * map.matrix = { data: [[0.9, 0.1], [0.5, 0.5]], rowLabels: ['the', 'creek'] };
   * map.matrix.data[1]; // → [0.5, 0.5]
   * map.matrix = [[0.9, 0.1], [0.5, 0.5]];
   * map.value; // → 0.9
   * map.matrix = null;
   * map.value; // → undefined
   */
  get matrix() {
    return this.#input;
  }

  set matrix(/** @type {MatrixInput | MatrixInput['data'] | null | undefined} */ input) {
    this.#read(() => input);
  }

  /** @param {() => any} read whose result, too, may throw where its parts are read */
  #read(read) {
    const { label, scale } = this.#input; // which may be attributes
    try {
      const input = read();
      const all = typeof input === 'object' && !(input && 'length' in input) ? input : { data: input };
      this.#change({ label, scale, ...all });
      this.#check(); // now, as it copies the numbers
    } catch (error) {
      this.#change({ label, scale });
      this.#checked = { parts: null, error: /** @type {Error} */ (error) };
      report(error);
    }
  }

  /**
   * Where the cursor stands. A cell outside stands for the nearest one inside.
   * @returns {Cell}
   * @example
   * map.matrix = { data: [[0.9, 0.1], [0.5, 0.5]] };
   * map.cursor = { row: 0, column: 1 };
   * map.cursor; // → { row: 0, column: 1 }
   */
  get cursor() {
    const { row, column } = this.#cursor;
    const { rowLabels: rows, columnLabels: columns } = this.#parts ?? NOTHING;
    return { row: row in rows ? row : rows.length - 1, column: column in columns ? column : columns.length - 1 };
  }

  set cursor(wanted) {
    const cell = wanted ?? { row: 0, column: 0 };
    if (!(Number.isInteger(cell.row) && Number.isInteger(cell.column) && cell.row >= 0 && cell.column >= 0)) {
      report(new GlassformerError('type', 'cursor', cell, '{ row, column } needed'));
    } else {
      this.#cursor = cell;
      this.#view?.update();
    }
  }

  /**
   * The number under the cursor; undefined while there is none.
   * @returns {number | undefined}
   * @example
   * map.matrix = { data: [[0.9, 0.1], [0.5, 0.5]] };
   * map.value; // → 0.9
   */
  get value() {
    const { row, column } = this.cursor;
    return this.#parts?.data[row * this.#parts.columns + column];
  }

  // Without a setter, a page of React that sets it would go blank.
  set value(value) {
    if (value != null) report(new GlassformerError('unknown', 'value', value, 'set matrix'));
  }

  connectedCallback() {
    this.#view = this.#create();
    this.#view.update();
    takeEarly(this);
    const text = this.querySelector('script')?.textContent;
    if (text && !this.#input.data) this.#read(() => JSON.parse(text));
    [this.#ofModel, this.#modelError] = [{}, null];
    this.#change(this.#input);
    this.#leave = follow(this, (state) => this.#follow(state));
  }

  disconnectedCallback() {
    this.#leave();
    this.#view?.destroy();
    this.#view = null;
  }

  /** @param {'label' | 'scale' | 'head' | 'word' | 'key'} name @param {string | null} _ @param {any} value */
  attributeChangedCallback(name, _, value) {
    this[name] = value ?? undefined;
  }

  /** @param {import('./model-state.js').ModelState | null} state */
  #follow(state) {
    const { pass = null, error = null } = state ?? {};
    const choice = state?.choice();
    this.#modelError = error;
    this.#ofModel = {};
    if (pass && choice) {
      const { layer, head, row, key } = choice;
      this.#ofModel = {
        data: pass.head(layer, head),
        rowLabels: pass.words,
        columnLabels: pass.columnWords,
        rowTitle: 'query',
        columnTitle: 'key',
        label: `${pass.title}, layer ${layer + 1}, head ${head + 1}`,
        scale: 'root',
      };
      if (!this.#hasOwn) this.#cursor = { row, column: key };
    }
    this.#change(this.#input);
  }

  get #hasOwn() {
    return this.#input.data !== undefined;
  }

  /** @returns {MatrixInput} */
  get #shown() {
    return this.#hasOwn ? this.#input : { ...this.#ofModel, ...known(this.#input) };
  }

  get #parts() {
    return this.#check().parts;
  }

  #check() {
    try {
      this.#checked ??= { parts: checkMatrix(this.#shown), error: this.#hasOwn ? null : this.#modelError };
    } catch (error) {
      this.#checked = { parts: null, error: /** @type {Error} */ (error) };
      report(error);
    }
    return this.#checked;
  }

  /** @param {MatrixInput} input */
  #change(input) {
    this.#input = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, value ?? undefined]));
    this.#checked = null;
    const view = this.#view;
    if (view)
      drawSoon(this, { read: () => this.#parts && view.schemeOf(), draw: (scheme) => this.#view?.update(scheme) });
  }

  #create() {
    const { root, schemeOf } = createShadow(this, () => update());
    const [title, body] = ['b', 'div'].map((tag) => document.createElement(tag));
    const table = createTable();
    root.prepend(title, body, table.element);
    const map = createMap(body, {
      flattest: 1,
      uprightColumns: true,
      min: 4,
      max: 44,
      height: 480,
      empty: 'No matrix',
      onCursor: (cell) => {
        this.cursor = cell;
        this.dispatchEvent(new CustomEvent('cursor', { bubbles: true, detail: { ...cell, value: this.value } }));
        if (!this.#hasOwn) choose(this, { word: cell.row, key: cell.column });
      },
    });
    /** @param {Scheme | null} [known] if it was read before */
    const update = (known) => {
      const { parts, error } = this.#check();
      title.textContent = error?.message ?? this.#shown.label ?? '';
      table.update(parts);
      if (!parts) return map.update(null);
      const { scale, label, rowTitle, columnTitle, rowLabels, columnLabels } = parts;
      const scheme = known ?? schemeOf();
      map.update({
        name: label,
        scaleTitle: 'Value',
        cursor: this.cursor,
        matrix: {
          ...parts,
          scheme,
          scale:
            scale.low === -scale.high
              ? signedScale(scheme, scale.high || roundLimit(parts.data))
              : { ...probabilityScale(scheme), ...scale },
        },
        rowAxis: { title: rowTitle, noun: rowTitle, label: (i) => rowLabels[i] },
        columnAxis: { title: columnTitle, noun: columnTitle, label: (i) => columnLabels[i] },
      });
    };
    return {
      update,
      schemeOf,
      destroy() {
        map.destroy();
        root.replaceChildren();
      },
    };
  }
}
