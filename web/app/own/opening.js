// Opens the reader's files as a model, one opening at a time: a later one ends the one before.

import { parseJson } from '../../../src/js/formats/json.js';
import { add, go } from '../given-models.js';
import { describe } from './entry.js';
import { filesOf, findModel, isPickled, isSame, ownName, partsOf, readHeader, sizeOfAll, withConfig } from './files.js';
import { messageOf } from './storage.js';

const LONGEST_CONFIG = 2 ** 22; // bytes, as the package has it

/**
 * @typedef {import('./box.js').BoxData} BoxData
 * @typedef {import('../given-models.js').Page} Page
 */

/**
 * @param {Page} page
 * @param {ReturnType<typeof import('./storage.js').createStorage>} storage
 * @param {{data: () => BoxData, draw: (change?: Partial<BoxData>, open?: boolean) => void}} box
 */
export function createOpening(page, storage, { data, draw }) {
  /** @type {File[]} that are not the link's */
  let others = [];
  let opening = new AbortController();
  /** The models that this browser can keep. @type {Map<string, import('./storage.js').Kept>} */
  const opened = new Map();

  /** @param {string} name */
  async function openKept(name) {
    const found = storage.find(name);
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
    const isWanted = data().wanted !== null;
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
        return draw({ busy: '', refused: whyAnother(found, partsOf(chosen).bytes), other: true });
      }
      const name = isAsked ? chosen : own;
      if (isAsked) ({ title } = partsOf(chosen)); // as whoever sent the link called it
      const model = await modelOf({ ...found, title }, page);
      if (mine.signal.aborted) model.entry.close?.();
      mine.signal.throwIfAborted();
      await add({ name, ...model }, page, {
        signal: mine.signal,
        onProgress: ({ loaded, total }) => opening === mine && data().busy && draw({ done: loaded / (total || 1) }),
      });
      mine.signal.throwIfAborted();
      if (page.chosen() !== name || !isAsked) go(name, page.shown());
      opened.set(name, { name, title, bytes: sizeOfAll(found), files: filesOf(found) });
      const lacksWords = isCheckpoint(model) && model.entry.units === 'ids';
      draw({ busy: '', note: lacksWords ? noTokenizer(title, model.unread) : '' }, lacksWords);
      focusModel(name);
      if (!data().keep || isKept || (await keepOpened(name))) return;
      draw({}, true);
    } catch (error) {
      if (opening !== mine) return; // another one is being opened
      const shown = isWanted ? '' : ' The model shown is as it was.';
      draw({ busy: '', refused: `“${title}” was not opened: ${messageOf(error)}.${shown}` }, true);
    }
  }

  /** @param {string} name */
  const keepOpened = (name) => storage.keep(/** @type {import('./storage.js').Kept} */ (opened.get(name)));

  return {
    open,
    openKept,
    keepOpened,
    /** The title of a model that is open from files. @param {string} name */
    titleOf: (name) => opened.get(name)?.title ?? '',
    /** Opens the files that were refused as not the link's. */
    openOthers: () => open(others, { asItIs: true }),
    cancel: () => opening.abort(new Error('it was cancelled')),
  };
}

/**
 * Why a file is not the one that a link names.
 * @param {import('./files.js').Found} found @param {number} bytes of the link's
 */
function whyAnother(found, bytes) {
  const [is, needs] = [sizeOfAll(found), bytes].map((each) => each.toLocaleString('en'));
  const why = is === needs ? 'its contents differ' : `it has ${is} bytes, the link’s has ${needs}`;
  return `“${found.weights.name}” is another file: ${why}.`;
}

/**
 * The model of files: one of this project's format, or a checkpoint of Hugging Face's.
 * @param {import('./files.js').Found} found
 * @param {Page} page
 */
async function modelOf(found, page) {
  const { weights, parts, config: configFile, generationConfig, tokenizerConfig } = found;
  const { said } = await readHeader(weights);
  const config = configFile && !said['glassformer.config'] ? await jsonIn(configFile) : null;
  if (config && 'model_type' in config) {
    const { describeCheckpoint } = await import('./tokenizer.js');
    let unread = '';
    const isMarian = config.model_type === 'marian' && found.pieces.length > 0;
    const tokenizer = isMarian ? piecesIn(found) : found.tokenizer;
    const described = await describeCheckpoint(found.title, config, tokenizer, page).catch((error) => {
      if (error.code !== 'unsupported') throw error;
      unread = messageOf(error);
      return describeCheckpoint(found.title, config, null, page);
    });
    const files = {
      config: /** @type {File} */ (configFile),
      weights,
      ...(tokenizer instanceof Blob && !unread && { tokenizer }),
      ...(isMarian && Object.fromEntries(found.pieces.map((each, i) => [ARGUMENTS[i], each]))),
      ...(generationConfig && { generationConfig }),
      ...(tokenizerConfig && { tokenizerConfig }),
    };
    return { ...described, unread, file: parts.length ? parts : files };
  }
  if (isPickled(weights)) throw new Error('it needs the config.json of its folder');
  const file = config ? await withConfig(weights, config) : weights;
  return { ...describe(found, config ? (await readHeader(file)).said : said), unread: '', file };
}

/** The package's names of a Marian's files, in their order. */
const ARGUMENTS = ['sourceSpm', 'targetSpm', 'vocab'];

/** The files that cut a Marian's texts, by their names. @param {import('./files.js').Found} found */
const piecesIn = ({ pieces, tokenizerConfig }) =>
  Object.fromEntries([...pieces, ...(tokenizerConfig ? [tokenizerConfig] : [])].map((each) => [each.name, each]));

/** @param {Awaited<ReturnType<typeof modelOf>>} model */
const isCheckpoint = ({ file }) => !(file instanceof Blob);

/** @param {string} title @param {string} unread why its tokenizer was not read; '': there was none */
const noTokenizer = (title, unread) =>
  `${title} is open without ${unread ? 'its tokenizer' : 'tokenizer.json'}, so a text is a row of ids. ` +
  (unread ? `The reason: ${unread}.` : 'To type words, choose the folder again with that file in it.');

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
