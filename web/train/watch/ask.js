// A row of the reader's own: asked for, or why it cannot be.

/** @typedef {import('../state.js').TrainState} TrainState */

/**
 * Shows it, and goes on training where that was under way.
 * @param {{
 *   typed: string, state: TrainState, client: ReturnType<typeof import('../client.js').connectTrainer>,
 *   inTurn: (action: () => Promise<unknown>) => Promise<unknown>, take: (report: import('../state.js').Report) => void,
 *   set: (patch: Partial<TrainState>) => void, goOn: () => unknown,
 * }} place
 */
export async function ask({ typed, state, client, inTurn, take, set, goOn }) {
  const goesOn = state.running;
  await inTurn(async () => {
    try {
      take(await client.go({ step: state.report?.step ?? 0, example: typed }));
      set({ example: typed, problem: null });
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
