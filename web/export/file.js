// Gives the reader a file, or text in the clipboard.

import { beginning } from '../kit/letters.js';

/** A name that every system takes. @param {string} text */
export const fileName = (text) =>
  beginning(
    text
      .normalize('NFC')
      .replace(/[^\p{L}\p{M}\p{N}._@-]+/gu, '-')
      .replace(/^[-.]+|[-.]+$/g, ''),
    80,
  ) || 'glassformer';

/** @param {string} name @param {Blob | string | Uint8Array<ArrayBuffer>} content */
export function saveFile(name, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content]));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 40_000); // a busy browser takes it late: as long as FileSaver waits
}

/** @param {string} text @returns {Promise<boolean>} whether the clipboard has it */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no clipboard here, or the reader does not allow it
  }
}

/** Whether the weights are not those of the model any more. @param {import('../engine/plan.js').Plan} plan */
export const isEdited = ({ interventions }) => interventions.some(({ what }) => what === 'weight');

/** The name under which the page saves the model's file. @param {import('../engine/plan.js').Plan} plan */
export const modelFile = (plan) => fileName(`${plan.model ?? 'untrained'}${isEdited(plan) ? '-edited' : ''}`);
