// The model at the shown moment as Explore takes it: its file, and what that place says of it.

import { WORD, charactersOf } from '../../../src/js/text/cuts.js';
import { cellOf } from '../state.js';
import { TEXTS, lastCheck, percent } from '../tasks.js';
import { FIRST_TEXT } from '../own-text.js';
import { inWords } from '../../kit/in-words.js';

/** @typedef {import('../state.js').TrainState} TrainState */

/**
 * Opens the model in Explore at the head and the cell that are shown; at another head, where its row attends most,
 * with the steps to that weight played.
 * @param {import('../index.js').Tools} tools @param {TrainState['head'] | null} [head]
 */
export const exploreRun = ({ get, client, inTurn, set, explore }, head = null) =>
  inTurn(async () => {
    const state = head ? { ...get(), head } : get();
    const [, query] = /\?(.*)/.exec(state.link) ?? ['', `task=${state.task}`];
    const cell = head ? strongestOf(state) : state.cell;
    const model = exploredModel({ ...state, cell }, query, await client.model());
    if (head) model.entry.opening = { ...model.entry.opening, plays: Date.now() };
    try {
      await explore(model);
    } catch (error) {
      const why = inWords(error).replace(/\.$/, '');
      set({ notice: `The model could not be opened in Explore: ${why}.` });
    }
  });

/** The cell of a head's row with the largest weight. @param {TrainState} state */
function strongestOf(state) {
  const { row } = cellOf(state);
  const { layer, head } = state.head;
  const { size, data } = /** @type {import('../run/worker.js').Report} */ (state.report).inspection.maps[layer];
  const weights = [...data.subarray((head * size + row) * size, (head * size + row + 1) * size)];
  return { row, column: weights.indexOf(Math.max(...weights)) };
}

/**
 * @param {TrainState} state
 * @param {string} query of the link to this moment
 * @param {{file: Uint8Array<ArrayBuffer>, vocabulary: string[]}} model
 * @returns {import('../../models/catalogue.js').GivenModel}
 */
export function exploredModel(state, query, { file, vocabulary }) {
  const { task, settings, head, level, text } = state;
  const cell = cellOf(state);
  const report = /** @type {import('../run/worker.js').Report} */ (state.report);
  const { rows, example, own, hash } = report.inspection;
  const { step } = report;
  const { title, goal, joint, unit, measure } = TEXTS[task];
  const facts = state.tasks.get(task);
  const isOwn = task === 'text';
  const isGiven = isOwn && (text !== FIRST_TEXT || level !== 'words');
  const isCausal = Boolean(facts?.causal);
  const isWords = (isOwn && level === 'words') || task === 'story';
  const between = isOwn && !isWords ? '' : joint;
  const texts = rows.map(({ words }) => words.join(between));
  const nameOf = (/** @type {number} */ i) => (own && i === example ? 'Your row' : `Held-out row ${i + 1}`);
  const check = lastCheck(report);
  const row = rows[example].words.length - 1;
  return {
    // A link names the run, but not the reader's text: then the weights do.
    name: `train?${query}${isGiven ? `&weights=${hash?.slice(0, 12) || Date.now()}` : ''}`,
    label: { label: 'Trained here', does: `${title}, step ${step.toLocaleString('en')}` },
    entry: {
      input: isCausal ? 'prompt' : 'text',
      joint: between,
      token: isWords ? WORD : charactersOf(vocabulary),
      units: isWords ? 'words' : isOwn ? 'characters' : 'symbols',
      text: texts[example],
      examples: Object.fromEntries(texts.map((text, i) => [nameOf(i), text])),
      longest: Math.max(...rows.map(({ words }) => words.length)),
      corpus: {
        said: 'rows of its task',
        read: async () => rows.map(({ words }) => words.map((word) => vocabulary.indexOf(word))),
      },
      about: `trained in Train up to step ${step.toLocaleString('en')}. Task: ${goal}`,
      more:
        'It knows nothing but its task: what excites its neurons is looked for in held-out rows of that. ' +
        (isGiven
          ? 'A link to it does not carry your text: whoever opens it needs the file of its weights.'
          : 'Its link names task, settings and step; whoever opens it trains the same weights again.'),
      why: '',
      facts: [
        { name: 'Training', value: `${step.toLocaleString('en')} steps, batch size ${settings.batch}` },
        { name: 'Seed', value: String(settings.seed) },
        ...(check ? [{ name: `Held-out ${unit} right at step ${check.step}`, value: percent(check[measure]) }] : []),
      ],
      opening: {
        selection: { kind: isCausal ? 'decoder' : 'encoder', ...head },
        cursor: { row: Math.min(cell.row, row), key: Math.min(cell.column, row), neuron: null, dimension: 0 },
        follow: false,
      },
    },
    file,
  };
}
