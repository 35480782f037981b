// The reader's own models: files that are chosen or dropped, those kept in this browser, and the link that needs one.
// Fetched when the reader asks for it, or drags something over the page.

import ownCss from './own.css';
import { parseJson } from '../../../src/js/files/json.js';
import { addStyle } from '../../draw/style.js';
import { LABELS, isModel, setModel } from '../../models/catalogue.js';
import { add, go } from '../carried.js';
import { createBox } from './box.js';
import { createDrop } from './drop.js';
import { describe } from './entry.js';
import { findModel, isSame, ownName, partsOf, readHeader, sizeOf, sizeOfAll, withConfig } from './files.js';
import { allKept, forget, keep } from './kept.js';

const LONGEST_CONFIG = 2 ** 22; // bytes, as the package has it

/**
 * @typedef {import('./box.js').BoxData} BoxData
 * @typedef {import('../carried.js').Page} Page
 */

/** @type {ReturnType<typeof create> | null} */
let made = null;

/** @param {Page} page */
export const begin = (page) => (made ??= create(page));

/** @param {Page} page */
function create(page) {
  addStyle(ownCss);
  const place = /** @type {HTMLElement} */ (document.getElementById('explore'));
  const root = document.createElement('section');
  root.className = 'own';
  root.setAttribute('aria-labelledby', 'own-title');
  root.hidden = true;
  place.querySelector('[data-slot=models]')?.after(root);

  /** @type {BoxData} */
  let data = { wanted: null, busy: '', done: null, refused: '', note: '', keep: false, kept: [], other: false };
  let isOpen = false; // the reader asked for the box
  /** @type {File[]} that are not the link's */
  let others = [];
  let opening = new AbortController();
  /** @type {import('./kept.js').Kept[]} */
  let stored = [];
  let storageFailed = false; // which is said once

  const box = createBox(root, {
    onFiles: (files) => open(files),
    onCancel: () => opening.abort(new Error('it was cancelled')),
    onClose: close,
    onKeep: (each) => draw({ keep: each }),
    onOpen: (name) => openKept(name),
    async onForget(name) {
      await withStorage(() => forget(name));
      await readStored();
      /** @type {HTMLElement | null} */ (root.querySelector('#own-title'))?.focus();
    },
    onOther: () => open(others, { asItIs: true }),
  });

  /** @param {Partial<BoxData>} [change] */
  function draw(change) {
    const chosen = page.chosen();
    const isWanted = isModel(chosen) && Boolean(LABELS[chosen].wanted);
    const { title, bytes } = partsOf(chosen);
    data = { ...data, ...change, wanted: isWanted ? { title, bytes } : null };
    place.toggleAttribute('data-wants', isWanted);
    root.hidden = !isOpen && !isWanted;
    box.update(data);
  }

  function close() {
    isOpen = false;
    draw({ refused: '', note: '', other: false });
    /** @type {HTMLElement | null} */ (document.querySelector('.models button'))?.focus();
  }

  /**
   * @template T
   * @param {() => Promise<T>} action
   * @returns {Promise<T | undefined>}
   */
  async function withStorage(action) {
    try {
      return await action();
    } catch (error) {
      if (!storageFailed) draw({ note: `This browser keeps no models: ${messageOf(error)}.` });
      storageFailed = true;
    }
  }

  async function readStored() {
    stored = (await withStorage(allKept)) ?? [];
    draw({ kept: stored.map(({ name, title, bytes }) => ({ name, title, bytes })) });
  }

  /** @param {string} name */
  async function openKept(name) {
    const found = stored.find((each) => isSame(each.name, name));
    if (found) await open(found.files, { isKept: true, title: found.title });
  }

  /**
   * @param {File[]} files
   * @param {{asItIs?: boolean, isKept?: boolean, title?: string}} [how] asItIs: though it is not the link's
   */
  async function open(files, { asItIs = false, isKept = false, title: called = '' } = {}) {
    opening.abort();
    const mine = new AbortController();
    opening = mine;
    const chosen = page.chosen();
    const isWanted = data.wanted !== null;
    let title = called || files[0]?.webkitRelativePath.split('/')[0] || files[0]?.name || 'Nothing';
    draw({ busy: title, done: null, refused: '', note: '', other: false });
    try {
      const found = findModel(files);
      title = called || found.title;
      if (title === 'model' && found.config) title = String((await jsonIn(found.config)).model_type ?? title);
      const own = await ownName({ ...found, title });
      const isAsked = isWanted && isSame(own, chosen);
      if (isWanted && !isAsked && !asItIs) {
        others = files;
        const size = sizeOfAll(found).toLocaleString('en');
        const [is, needs] = [size, partsOf(chosen).bytes.toLocaleString('en')];
        const why = is === needs ? 'its contents differ' : `it has ${is} bytes, the link’s has ${needs}`;
        return draw({ busy: '', refused: `“${found.weights.name}” is another file: ${why}.`, other: true });
      }
      const name = isAsked ? chosen : own;
      if (isAsked) ({ title } = partsOf(chosen)); // as whoever sent the link called it
      const model = await modelOf({ ...found, title }, page);
      if (mine.signal.aborted) model.entry.close?.();
      mine.signal.throwIfAborted();
      await add({ name, ...model }, page, {
        signal: mine.signal,
        onProgress: ({ loaded, total }) => opening === mine && data.busy && draw({ done: loaded / (total || 1) }),
      });
      mine.signal.throwIfAborted();
      isOpen = false;
      if (page.chosen() !== name || !isAsked) go(name, page.shown());
      draw({ busy: '' });
      focusModel(name);
      if (data.keep && !isKept) await store({ name, title, bytes: sizeOfAll(found), files });
    } catch (error) {
      if (opening !== mine) return; // another one is being opened
      isOpen = true;
      const shown = isWanted ? '' : ' The model shown is as it was.';
      draw({ busy: '', refused: `“${title}” was not opened: ${messageOf(error)}.${shown}` });
    }
  }

  /** @param {import('./kept.js').Kept} model */
  async function store(model) {
    await withStorage(async () => {
      await keep({ ...model, files: model.files.filter(({ name }) => /\.(safetensors|json)$/.test(name)) });
      await readStored();
    });
    if (!storageFailed) return;
    isOpen = true;
    draw();
  }

  const sync = () => draw();
  place.querySelector('[data-slot=models]')?.addEventListener('change', () => setTimeout(sync));
  addEventListener('hashchange', () => setTimeout(sync));
  createDrop((files) => {
    if (document.documentElement.dataset.place !== 'explore') location.hash = '#/explore';
    open(files);
    isOpen = true;
    draw();
  });

  return {
    /** Asks for a model. */
    async show() {
      isOpen = true;
      draw();
      /** @type {HTMLElement | null} */ (root.querySelector('#own-title'))?.focus();
      await readStored();
    },
    /**
     * Puts a model that a link names among those to choose from, and asks for its file where this browser has not
     * kept it.
     * @param {string} name
     */
    async want(name) {
      const { title, bytes } = partsOf(name);
      const does = `needs its file of ${sizeOf(bytes)}`;
      setModel(name, {
        label: { label: title, does, wanted: true },
        entry: describe({ title, weights: null }, {}).entry,
      });
      setTimeout(async () => {
        draw();
        await readStored();
        if (data.wanted) await openKept(name);
      });
    },
  };
}

/**
 * The model of files: one of this project's format, or a checkpoint of Hugging Face's.
 * @param {import('./files.js').Found} found
 * @param {Page} page
 */
async function modelOf(found, page) {
  const { weights, parts, config: configFile, tokenizer } = found;
  const { said } = await readHeader(weights);
  const config = configFile && !said['glassformer.config'] ? await jsonIn(configFile) : null;
  if (config && 'model_type' in config) {
    const { describeCheckpoint } = await import('./tokenizer.js');
    const described = await describeCheckpoint(found.title, config, tokenizer, page);
    const files = { config: /** @type {File} */ (configFile), weights, ...(tokenizer && { tokenizer }) };
    return { ...described, file: parts.length ? parts : files };
  }
  const file = config ? await withConfig(weights, config) : weights;
  return { ...describe(found, config ? (await readHeader(file)).said : said), file };
}

/** @param {File} file @returns {Promise<Record<string, any>>} */
async function jsonIn(file) {
  if (file.size > LONGEST_CONFIG) throw new Error(`config.json has ${file.size.toLocaleString('en')} bytes`);
  try {
    return Object(parseJson(await file.text()));
  } catch {
    throw new Error('config.json is no JSON');
  }
}

/** Where the reader goes on: at the model that has been opened. @param {string} name */
function focusModel(name) {
  const find = () =>
    /** @type {HTMLElement | null} */ (document.querySelector(`.model input[value="${CSS.escape(name)}"]`));
  requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus({ preventScroll: true })));
}

/** @param {unknown} error */
const messageOf = (error) => String(/** @type {Error} */ (error)?.message || error).replace(/\.$/, '');
