// How `continue` continues its story.

import { html } from 'lit-html';
import { hasEnded } from '../../engine/ending.js';
import { entryOf } from '../../models/catalogue.js';
import { lateView } from '../../shared/late-view.js';

/**
 * @param {number[]} ids
 * @param {import('../index.js').ModelInfo} modelInfo
 * @param {((ids: readonly number[]) => string) | undefined} decode
 */
const textOf = (ids, { vocabulary }, decode) =>
  decode && ids.length ? [decode(ids)] : ids.map((id) => vocabulary[id]);

/** @type {import('../index.js').Input<import('./view.js').WriterData>} */
export const writer = {
  name: 'generation',
  slot: 'input',
  section: html`<div id="generation" class="generation" hidden></div>`,
  input: ({ state: { model, text, writing, written }, modelInfo }) =>
    entryOf(model)?.input === 'prompt' && modelInfo
      ? {
          writing,
          vocabulary: modelInfo.vocabulary.length,
          prompt: text,
          hasEnded: hasEnded(text, modelInfo),
          joint: entryOf(model)?.joint,
          written: textOf(written, modelInfo, entryOf(model)?.decode),
        }
      : null,
  create: (root, { get, set, generate, stopGenerating }) =>
    lateView(async () =>
      (await import('../late.js')).createWriter(root, {
        onChange: (patch) => set({ writing: { ...get().writing, ...patch } }),
        onWrite: generate,
        onClear() {
          stopGenerating();
          set({ written: [] });
        },
      }),
    ),
};
