// What the reader keeps of a run: its file, to save, to share, to open again.

import { saveFile } from '../export/file.js';

const MOST_BYTES = 128e6; // the largest run that the settings allow takes a tenth

/**
 * @typedef {import('./client.js').Opened} Opened
 * @param {object} place
 * @param {import('./train.js').TrainState} place.state
 * @param {() => ReturnType<typeof import('./client.js').connectTrainer>} place.client
 * @param {(action: () => Promise<unknown>) => Promise<unknown>} place.inTurn
 * @param {(notice: string) => void} place.tell
 * @param {(opened: Opened) => void} place.takeOver shows a run that the worker has opened
 */
export function createKeep({ state, client, inTurn, tell, takeOver }) {
  const fileName = () => `${state.task}-${state.report?.step ?? 0}.safetensors`;

  return {
    onSave: () => inTurn(async () => saveFile(fileName(), await client().save())),
    onShare: () =>
      inTurn(async () => {
        const files = [new File([await client().save()], fileName())];
        try {
          await navigator.share({ files });
        } catch (error) {
          const { name, message } = /** @type {Error} */ (error);
          if (name !== 'AbortError') tell(`The file could not be shared (${message}); it can be saved.`);
        }
      }),
    /** @param {File} file */
    onFile: (file) =>
      inTurn(async () => {
        try {
          if (file.size > MOST_BYTES)
            throw new Error(`it has ${Math.round(file.size / 1e6)} MB, more than a run takes`);
          const bytes = new Uint8Array(await file.arrayBuffer());
          takeOver(await client().open({ file: bytes, example: 0 }));
        } catch (error) {
          const { message } = /** @type {Error} */ (error);
          tell(`“${file.name}” was not opened: ${message}. The run shown here is as it was.`);
        }
      }),
  };
}

/** Whether this browser shares files. */
export const canShare = () => navigator.canShare?.({ files: [new File([''], 'run.safetensors')] }) ?? false;
