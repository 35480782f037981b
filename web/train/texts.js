// The reader's own text on its way from the box to the run.

import { inWords } from '../shared/in-words.js';

/**
 * @param {import('./state.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {Pick<ReturnType<typeof import('./opening.js').createOpening>, 'open'>} opening
 */
export function createTexts({ get, put, client, set }, { inTurn }, { open }) {
  const texts = {
    /**
     * The text in the box is not the one trained on: it is new or was refused.
     * @param {string} text @param {string} level
     */
    draftText(text, level) {
      const isUsed = text === get().text && level === get().level;
      const isShown = isUsed === (get().draft === null) && get().problem?.field !== 'text';
      put({ draft: isUsed ? null : { text, level } });
      if (!isShown) set({ problem: null });
    },

    /** @param {string} text @param {string} level */
    async useText(text, level) {
      /** @type {Promise<unknown> | undefined} */
      let opened;
      const refuse = (/** @type {string} */ why) =>
        set({ draft: { text, level }, problem: { field: 'text', text: why, typed: text } });
      await inTurn(async () => {
        if (!text.trim()) return refuse('it is empty. Type or paste some words.');
        try {
          const tasks = new Map([...get().tasks, ['text', await client.text({ text, level })]]);
          put({ tasks, text, level, draft: null, example: 0 });
        } catch (error) {
          const { code } = /** @type {import('glassformer').GlassformerError} */ (error);
          return refuse(code === 'range' ? `it needs at least two different ${level}.` : inWords(error));
        }
        opened = open('text');
      });
      await opened;
    },

    /** Uses what stands in the box before it is trained on. @returns {Promise<boolean>} whether it could be */
    async useDraft() {
      const { task, draft } = get();
      if (task === 'text' && draft) await texts.useText(draft.text, draft.level);
      return task !== 'text' || get().draft === null;
    },
  };
  return texts;
}
