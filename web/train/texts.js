// The reader's own text on its way from the box to the run.

import { inWords } from '../shared/in-words.js';

/**
 * @param {import('./place.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {Pick<ReturnType<typeof import('./opening.js').createOpening>, 'open'>} opening
 */
export function createTexts({ state, client, set }, { inTurn }, { open }) {
  const texts = {
    /**
     * The text in the box is not the one trained on: it is new or was refused.
     * @param {string} text @param {string} level
     */
    draftText(text, level) {
      const isUsed = text === state.text && level === state.level;
      const isShown = isUsed === (state.draft === null) && state.problem?.field !== 'text';
      state.draft = isUsed ? null : { text, level };
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
          const tasks = new Map([...state.tasks, ['text', await client.text({ text, level })]]);
          Object.assign(state, { tasks, text, level, draft: null, example: 0 });
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
      const { task, draft } = state;
      if (task === 'text' && draft) await texts.useText(draft.text, draft.level);
      return task !== 'text' || state.draft === null;
    },
  };
  return texts;
}
