// A row of the reader's own: asked for, or why it cannot be.

/**
 * Shows it, and goes on training where that was under way.
 * @param {string} typed
 * @param {import('../place.js').Place} place
 * @param {import('../playback.js').Playback} playback
 */
export async function ask(typed, { state, client, set, take }, { inTurn, goOn }) {
  const goesOn = state.running;
  const { task } = state;
  await inTurn(async () => {
    try {
      if (state.task !== task) return; // another one was chosen meanwhile
      take(await client.go({ step: state.report?.step ?? 0, example: typed }));
      if (state.task === task) set({ example: typed, problem: null });
    } catch (error) {
      const { code, value } = /** @type {any} */ (error);
      if (!code) throw error;
      const input = state.tasks.get(state.task)?.input;
      const text = code === 'unknown' ? `“${value}” is not one of the task’s words.` : `It must be ${input}.`;
      set({ problem: { field: 'example', text, typed } });
    }
  });
  if (goesOn) goOn();
}
