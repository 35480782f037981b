// What the reader keeps of a run: link, code, file (to save, to share, to open again), and its model in Explore.

import { copyText, saveFile } from '../../export/file.js';
import { inWords } from '../../shared/in-words.js';
import { FIRST_TEXT } from '../text/first-text.js';

/** Within a sentence. @param {unknown} error */
const reason = (error) => inWords(error).replace(/\.$/, '');

const MOST_BYTES = 128e6; // the largest run that the settings allow takes a tenth

/**
 * @typedef {import('../run/worker.js').Opened} Opened
 * @param {import('../place.js').Place} place
 * @param {import('../playback.js').Playback} playback
 * @param {(opened: Opened) => void} takeOver shows a run that the worker has opened
 * @param {(model: import('../../models/catalogue.js').GivenModel) => Promise<void>} explore
 */
export function createKeep({ state, client, set }, { inTurn }, takeOver, explore) {
  const tell = (/** @type {string} */ notice) => set({ notice });
  const fileName = () => `${state.task}-${state.report?.step ?? 0}.safetensors`;

  async function copyLink() {
    const copied = await copyText(state.link);
    const isOwn = state.task === 'text' && state.text !== FIRST_TEXT;
    const rest = isOwn ? ' It does not carry your text.' : '';
    tell(
      (copied ? 'The link to this moment is in the clipboard.' : `No access to the clipboard: ${state.link}`) + rest,
    );
  }

  /** @param {string} text @param {string} what @param {string} name of the file where there is no clipboard */
  async function give(text, what, name) {
    if (await copyText(text)) return tell(`${what} is in the clipboard.`);
    saveFile(name, text);
    tell(`${what} is saved as ${name}, as there is no access to the clipboard.`);
  }

  async function copyCode() {
    const { MOST_INSIDE, codeOf } = await import('./code.js');
    const { task, start: settings, changes, tasks, whole, text, level } = state;
    const { recipe } = /** @type {import('../run/worker.js').TaskFacts} */ (tasks.get(task));
    const { step, inspection } = /** @type {import('../run/worker.js').Report} */ (whole); // the last that has a hash
    const source = task === 'text' ? { text, level: /** @type {'words'} */ (level) } : null;
    const code = codeOf({ task, settings, changes, recipe, step, hash: String(inspection.hash), source });
    const from = source && text.length > MOST_INSIDE ? ' from your text as text.txt beside it,' : '';
    return give(code, `The program that trains up to this moment, to the same bits,${from}`, `${task}.mjs`);
  }

  return {
    onCopy: copyLink,
    onCode: copyCode,
    onSave: () => inTurn(async () => saveFile(fileName(), await client.save())),
    onShare: () =>
      inTurn(async () => {
        const files = [new File([await client.save()], fileName())];
        try {
          await navigator.share({ files });
        } catch (error) {
          const { name, message } = /** @type {Error} */ (error);
          if (name !== 'AbortError') tell(`The file could not be shared (${message}); it can be saved.`);
        }
      }),
    onExplore: () =>
      inTurn(async () => {
        const [, query] = /\?(.*)/.exec(state.link) ?? ['', `task=${state.task}`];
        const [{ exploredModel }, model] = await Promise.all([import('./explored.js'), client.model()]);
        try {
          await explore(exploredModel(state, query, model));
        } catch (error) {
          tell(`The model could not be opened in Explore: ${reason(error)}.`);
        }
      }),
    /** @param {File} file */
    onFile: (file) =>
      inTurn(async () => {
        try {
          if (file.size > MOST_BYTES)
            throw new Error(`it has ${Math.round(file.size / 1e6)} MB, more than a run takes`);
          const bytes = new Uint8Array(await file.arrayBuffer());
          takeOver(await client.open({ file: bytes, example: 0 }));
        } catch (error) {
          tell(`“${file.name}” was not opened: ${reason(error)}. The run shown here is as it was.`);
        }
      }),
  };
}
