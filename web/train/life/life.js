// Handles events besides training: the page is left and opened again, the tab is hidden, the loss diverges.

import { readText, writeText } from '../../kit/kept.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../state.js').Report} Report
 * @typedef {'go on' | 'pause'} Hidden what a run does while the tab is hidden
 */

const HIDDEN = 'glassformer-train-hidden';
const BEFORE = 'glassformer-train-before';
export const FEW = 20; // steps that the mean loss is of
export const FAR = 3; // times the loss of the first step, or of a guess
const SLOWER = 10; // times, after a failure

/** @returns {Hidden} */
export const readHidden = () => (readText(HIDDEN) === 'pause' ? 'pause' : 'go on');

/** The run whose curves stood beside that of a task. @param {string} task @returns {TrainState['before']} */
function readBefore(task) {
  try {
    const kept = JSON.parse(readText(BEFORE) ?? '');
    return kept.task === task ? kept.before : null;
  } catch {
    return null;
  }
}

/**
 * The reader's actions for these events.
 * @param {import('../state.js').Place} place
 * @param {import('../playback.js').Playback} playback
 * @param {ReturnType<typeof import('../opening.js').createOpening>} opening
 * @param {ReturnType<typeof import('../choices.js').createChoices>} choices
 */
export function createLife(place, { inTurn, pause, goOn, reach }, { showOpened, open }, { goOnWith }) {
  const { get, client, set, take, draw } = place;
  let rests = false; // while the tab is hidden: unseen parts are not drawn
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      rests = get().running && get().hidden === 'pause';
      if (rests) pause();
      return;
    }
    draw();
    if (rests) goOn();
    rests = false;
  });

  /** @type {TrainState['before'] | undefined} */
  let written;

  // Keeps the run before as long as the run is kept that it is beside.
  place.watch(() => {
    const { report, task, before } = get();
    if (!report || report.keeping.reason === 'elsewhere') return;
    const wanted = report.keeping.step === null ? null : before;
    if (wanted !== written) writeText(BEFORE, wanted && JSON.stringify({ task, before }));
    written = wanted;
  });

  return {
    /** @param {number} step @param {number} learningRate */
    onBack: (step, learningRate) => goOnWith({ learningRate }, step),
    /** @param {Hidden} hidden */
    onHidden(hidden) {
      writeText(HIDDEN, hidden);
      set({ hidden });
    },
    onForget: () => inTurn(async () => take(await client.forget({ example: get().example }))),
    /**
     * Goes on with the run that this browser keeps, where the address asks for no other; else begins that one.
     * @param {import('../run/storage.js').Wanted} wanted by the address @param {number} to the step there
     * @param {boolean} isReload of this run: its stored steps may be ahead of the address
     */
    async comeBack(wanted, to, isReload) {
      const isBare = /^#\/train\/?$/.test(location.hash);
      const opened = await inTurn(async () => {
        const found = await client.comeBack({ wanted: isBare ? null : wanted, example: get().example });
        if (found) showOpened(found, readBefore(found.facts.name));
        return found;
      });
      const step = get().report?.step;
      if (!opened) open(wanted.task, wanted.settings, to, false, wanted.changes);
      else if (!isBare && !isReload && to !== step) reach(to);
      else if (step) set({ notice: 'This run was kept in this browser, up to this step: it can go on from here.' });
    },
  };
}

/** The mean loss of the last few steps up to one. @param {number[]} loss @param {number} step */
function meanAt(loss, step) {
  const last = loss.slice(Math.max(0, step - FEW), step);
  return last.reduce((sum, each) => sum + each, 0) / last.length;
}

/**
 * The loss at the start: that of the first step, or of a uniform guess where that is more.
 * @param {TrainState} state
 */
const startOf = ({ loss, tasks, task }) => Math.max(loss[0], Math.log(tasks.get(task)?.words ?? 1));

/**
 * Whether the loss has grown far over its start, and since when.
 * @param {TrainState} state
 * @returns {{since: number, start: number} | null}
 */
export function divergence(state) {
  const start = startOf(state);
  const isFar = (/** @type {number} */ step) => step >= FEW && meanAt(state.loss, step) > FAR * start;
  let since = state.report?.step ?? 0;
  if (!isFar(since)) return null;
  while (isFar(since - 1)) since--;
  return { since, start };
}

/**
 * Where to go back to: the last kept moment at which the loss had not grown, and a smaller rate.
 * @param {TrainState} state
 */
export function wayBack(state) {
  const { report, loss, settings } = state;
  const { moments, step: now } = /** @type {Report} */ (report);
  const start = startOf(state);
  const step = moments.steps.filter((each) => each <= now && meanAt(loss, each) <= start).pop() ?? 0;
  return { step, rate: Number((Number(settings.learningRate) / SLOWER).toPrecision(6)) };
}
