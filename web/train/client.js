// What the page says to the worker of Train.

import { connect } from 'glassformer/worker';
import { serveDatabase } from './keep/database.js';

/**
 * @typedef {import('./run/worker.js').Report} Report
 * @typedef {Readonly<Record<string, import('./settings/settings.js').Value>>} Settings
 * @typedef {{
 *   task: string, settings: Settings, changes?: readonly import('./settings/changes.js').Change[],
 *   example: number | string, keeps?: boolean,
 * }} Start `changes`: to be made when their step is reached; `keeps`: whether this browser keeps the run
 * @typedef {{facts: import('./run/worker.js').TaskFacts, settings: Settings,
 *   source: import('./run/own-text.js').Source | null, report: Report}} Opened a run that the worker has gone on with
 */

/** What changes the run ends with a report even where it is given up: without it, steps would miss in the curves. */
const WHOLE = { whole: true };

/** @param {(name: string) => string} scriptUrl */
export function connectTrainer(scriptUrl) {
  const worker = new Worker(scriptUrl('trainer.js'), { type: 'module' });
  const connection = connect(worker);
  const { port1, port2 } = new MessageChannel();
  serveDatabase(port1);
  connection.call('storage', [port2], { moved: [/** @type {any} */ (port2)] }).catch(() => {}); // the next says why
  return {
    /** @returns {Promise<import('./run/worker.js').TaskFacts[]>} */
    tasks: () => connection.call('tasks', []),
    /** @param {{text: string, level: string}} request @returns {Promise<import('./run/worker.js').TaskFacts>} */
    text: (request) => connection.call('text', [request]),
    /** @param {Start} request @returns {Promise<Report>} */
    start: (request) => connection.call('start', [request], WHOLE),
    /**
     * Goes on from a step with other values of some settings.
     * @param {{step: number, patch: Settings, example: number | string}} request @returns {Promise<Report>}
     */
    change: (request) => connection.call('change', [request], WHOLE),
    /** Until it ends, or pauses. @param {import('./run/worker.js').TrainRequest} request @returns {Promise<Report>} */
    train: (request) => connection.call('train', [request], WHOLE),
    /** @returns {Promise<Uint8Array<ArrayBuffer>>} the run as one file */
    save: () => connection.call('save', []),
    /** @returns {Promise<{file: Uint8Array<ArrayBuffer>, vocabulary: string[]}>} the model alone */
    model: () => connection.call('model', []),
    /** @param {{file: Uint8Array, example: number | string}} request @returns {Promise<Opened>} */
    open: (request) => connection.call('open', [request], WHOLE),
    /**
     * The run that this browser keeps.
     * @param {{wanted: import('./run/storage.js').Wanted | null, example: number | string}} request
     * @returns {Promise<Opened | null>}
     */
    comeBack: (request) => connection.call('comeBack', [request], WHOLE),
    /** Deletes it. @param {{example: number | string}} request @returns {Promise<Report>} */
    forget: (request) => connection.call('forget', [request], WHOLE),
    /** @param {{step: number, example: number | string}} request @returns {Promise<Report>} */
    go: (request) => connection.call('go', [request], WHOLE),
    /** @param {import('./run/worker.js').CompareRequest} request @returns {Promise<void>} */
    compare: (request) => connection.call('compare', [request], WHOLE),
    end: () => worker.terminate(),
  };
}

/** @typedef {ReturnType<typeof connectTrainer>} TrainClient */
