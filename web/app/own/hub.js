// Models of huggingface.co by name: the page's first words, and the download, which resumes where it broke.

import { GlassformerError } from '../../../src/js/errors.js';
import { FAMILIES, familyOf, missingOf } from '../../../src/js/files/families/index.js';
import { endOf, onHub } from '../../../src/js/files/hub.js';
import { parseJson } from '../../../src/js/formats/json.js';
import { beginning } from '../../kit/letters.js';
import { withPath } from './drop.js';
import { PIECES, sizeOf } from './files.js';
import { messageOf } from './storage.js';

const MOST = 2 ** 31; // bytes of an engine
const LARGE = 2 ** 24; // numbers from which on those of 16 bits stay so
/** Of which kind a model's weights may be, the first that it has. */
const WEIGHTS = [
  /^model\.safetensors$/,
  /^model(-\d+-of-\d+\.safetensors|\.safetensors\.index\.json)$/,
  /^pytorch_model\.bin$/,
  /^pytorch_model(-\d+-of-\d+\.bin|\.bin\.index\.json)$/,
];
const LONGEST_CONFIG = 2 ** 22; // bytes, as the package has it
const PART = 2 ** 23; // bytes that are put into one Blob, which the browser may keep on disk

/**
 * The facts that the page shows before a download.
 * @typedef {{
 *   title: string, commit: string, family: string, license: string, files: {name: string, size: number}[],
 *   bytes: number, memory: number, rounded: boolean,
 * }} Facts
 * `rounded`: to bfloat16, as the numbers of the file do not fit.
 *
 * `done`: of the download, from 0 to 1; null: there is none.
 * @typedef {{facts: Facts | null, asking: boolean, done: number | null, refused: string}} HubData
 */

/** @type {HubData} */
export const NOTHING = { facts: null, asking: false, done: null, refused: '' };

/**
 * @param {(data: HubData) => void} draw
 * @param {(files: File[]) => void} onFiles
 */
export function createHub(draw, onFiles) {
  let asked = new AbortController();
  /** The files of one model that have arrived. @type {{commit: string, parts: Map<string, Part>}} */
  let kept = { commit: '', parts: new Map() };

  /**
   * One request at a time; a later one ends the one before.
   * @param {string} title @param {HubData} meanwhile @param {(signal: AbortSignal) => Promise<void>} action
   */
  async function attempt(title, meanwhile, action) {
    asked.abort();
    const mine = new AbortController();
    asked = mine;
    draw(meanwhile);
    try {
      await action(mine.signal);
    } catch (error) {
      if (asked !== mine) return;
      const why = messageOf(error)
        .replace(/^hub(:\S+)?: /, '')
        .replace(/^is gated/, 'it is gated')
        .replace('must be hub:ORG/NAME', 'write it as organization/model');
      draw({ ...NOTHING, facts: meanwhile.facts, refused: `“${title}” was not opened: ${why}.` });
    }
  }

  return {
    /** @param {string} title ORG/NAME */
    lookUp: (title) =>
      attempt(title, { ...NOTHING, asking: true }, async (signal) =>
        draw({ ...NOTHING, facts: await factsOf(title, signal) }),
      ),
    /** @param {Facts} facts */
    download: (facts) =>
      attempt(facts.title, { ...NOTHING, facts, done: 0 }, async (signal) => {
        const { title, commit, bytes, files } = facts;
        if (kept.commit !== commit) kept = { commit, parts: new Map() };
        const { at } = onHub(`hub:${title}`, { revision: commit, signal });
        const loaded = () => [...kept.parts.values()].reduce((sum, { size }) => sum + size, 0);
        for (const { name, size } of files) {
          const part = kept.parts.get(name) ?? { blobs: [], size: 0, tag: null };
          kept.parts.set(name, part);
          const onProgress = () => draw({ ...NOTHING, facts, done: Math.min(loaded() / bytes, 1) });
          await fetchInto(part, size, at(name).ask, onProgress);
          if (part.size === size) continue;
          kept.parts.delete(name);
          throw new Error(`${name} is longer than huggingface.co said`);
        }
        const all = files.map(({ name }) =>
          withPath(new File(kept.parts.get(name)?.blobs ?? [], name), `${title}/${name}`),
        );
        draw({ ...NOTHING, facts }); // where opening fails, a second click downloads nothing again
        onFiles(all);
      }),
    cancel: () =>
      asked.abort(new Error('it was cancelled. The part already downloaded is kept until you leave this page')),
  };
}

/**
 * @param {string} title
 * @param {AbortSignal} signal
 * @returns {Promise<Facts>}
 * @throws {Error} in words for the reader
 */
async function factsOf(title, signal) {
  const response = await onHub(`hub:${title}`, { signal }).ask(`api/models/${title}/revision/main?blobs=true`);
  if (!response.ok) throw new Error('huggingface.co has no such model: check the name');
  const { sha, gated, cardData, tags, config, safetensors, siblings } = await infoIn(response);
  if (gated) {
    const ways = `Ask for it at huggingface.co/${title}, download its files there, and choose their folder here`;
    throw new Error(`it is gated: its makers give access on request. ${ways}`);
  }
  const family = wordIn(config?.model_type);
  if (!Object.hasOwn(FAMILIES, family)) {
    const lacks = missingOf({ model_type: family }).map((what) => `, which needs ${what}`);
    const opened = Object.keys(FAMILIES).join(', ');
    throw new Error(`its family is ${family}${lacks[0] ?? ''}, and this page opens ${opened}`);
  }
  const all = listIn(siblings)
    .map(({ rfilename, size }) => ({ name: wordIn(rfilename), size }))
    .filter(({ size }) => Number.isSafeInteger(size) && size > 0);
  const weights =
    WEIGHTS.map((pattern) => all.filter(({ name }) => pattern.test(name))).find(({ length }) => length > 0) ?? [];
  if (!weights.length) throw new Error('it has no model.safetensors and no pytorch_model.bin');
  const files = [
    ...all.filter(({ name }) => /^((generation_|tokenizer_)?config|tokenizer)\.json$/.test(name)),
    ...all.filter(({ name }) => family === 'marian' && PIECES.includes(name)),
    ...weights,
  ];
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const total = Math.max(0, Number(safetensors?.total)) || 0;
  const halves = total >= LARGE && /^B?F16$/.test(String(Object.keys(Object(safetensors?.parameters))));
  const rounded = !halves && 4 * total > MOST;
  const memory = (halves || rounded ? 2 : 4) * total || bytes;
  const most = Math.max(memory, rounded ? bytes / 2 : bytes);
  if (most > MOST) throw new Error(`it needs ${sizeOf(most)} of memory, and a page has ${sizeOf(MOST)} for models`);
  await expectComputed(files, title, sha, signal);
  const tag = listIn(tags).find((each) => /^license:/.test(wordIn(each)));
  const license = wordIn(cardData?.license ?? tag?.slice(8));
  return { title, commit: sha, family, license, files, bytes, memory, rounded };
}

/**
 * Refuses what the settings ask for and is not computed here, before the weights are fetched.
 * @param {Facts['files']} files @param {string} title @param {string} revision @param {AbortSignal} signal
 */
async function expectComputed(files, title, revision, signal) {
  const size = files.find(({ name }) => name === 'config.json')?.size ?? 0;
  if (!size || size > LONGEST_CONFIG) throw new Error(`its config.json has ${size.toLocaleString('en')} bytes`);
  const { at } = onHub(`hub:${title}`, { revision, signal });
  /** @type {Part} */
  const part = { blobs: [], size: 0, tag: null };
  await fetchInto(part, size, at('config.json').ask, () => {});
  try {
    const config = Object(parseJson(await new Blob(part.blobs).text()));
    FAMILIES[familyOf(config)].read(config);
  } catch (error) {
    if (error instanceof GlassformerError) throw new Error(`its ${error.message}`);
    throw new Error('its config.json is no JSON');
  }
}

/** @param {Response} response @returns {Promise<Record<string, any>>} */
async function infoIn(response) {
  try {
    const info = Object(parseJson(await response.text()));
    if (/^[\da-f]{40}$/.test(info.sha)) return info;
  } catch {
    // the error below explains it
  }
  throw new Error('huggingface.co answered in a way that this page does not know');
}

/** @param {unknown} value @returns {any[]} */
const listIn = (value) => (Array.isArray(value) ? value.filter((each) => each !== null) : []);

/** @param {unknown} value */
const wordIn = (value) => (typeof value === 'string' && value ? beginning(value, 60) : 'not stated');

/** @typedef {{blobs: Blob[], size: number, tag: string | null}} Part of a file */

/**
 * The rest of a file. A connection that breaks is made again as long as something comes.
 * @param {Part} part
 * @param {number} size
 * @param {(headers?: Record<string, string>) => Promise<Response>} ask
 * @param {() => void} onProgress
 */
async function fetchInto(part, size, ask, onProgress) {
  while (part.size < size) {
    const from = part.size;
    const response = await ask(from ? { Range: `bytes=${from}-` } : {});
    if (!response.ok) throw new Error(`a file of it could not be fetched (${response.status})`);
    const tag = response.headers.get('etag');
    if (from && (response.status !== 206 || tag !== part.tag)) {
      Object.assign(part, { blobs: [], size: 0 });
      if (response.status === 206) {
        response.body?.cancel().catch(() => {});
        continue; // the rest of another file: it is fetched from its beginning
      }
    }
    const end = from ? endOf(response, from) : null;
    const isRest = response.status === 206 && from > 0 && (end === null || end === size);
    if (response.status === 206 && !isRest) {
      response.body?.cancel().catch(() => {});
      throw new Error('huggingface.co sent another part of a file than this page asked for: try again');
    }
    part.tag = tag;
    try {
      await collect(part, size, response, onProgress);
    } catch (error) {
      if (/** @type {Error} */ (error).name !== 'TypeError') throw error; // not the network
    }
    if (part.size === from) throw new Error('the connection ended too early: try again');
  }
}

/** @param {Part} part @param {number} size no more is read @param {Response} response @param {() => void} onProgress */
async function collect(part, size, { body }, onProgress) {
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (body).getReader();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  let chunks = [];
  let waiting = 0;
  const store = () => {
    part.blobs.push(new Blob(chunks));
    part.size += waiting;
    [chunks, waiting] = [[], 0];
    onProgress();
  };
  try {
    for (let step; part.size + waiting <= size && !(step = await reader.read()).done;) {
      chunks.push(step.value);
      waiting += step.value.length;
      if (waiting >= PART) store();
    }
  } finally {
    store();
    void reader.cancel().catch(() => {});
  }
}
