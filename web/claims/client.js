// What the page says to the worker of Claims.

import { connect } from 'glassformer/worker';

/**
 * @typedef {import('./worker.js').GroupData} GroupData
 * @typedef {import('./worker.js').RunRequest} RunRequest
 * @typedef {import('./worker.js').Finding} Finding
 */

/** @param {(name: string) => string} scriptUrl */
export function connectClaims(scriptUrl) {
  const open = () => connect(new Worker(scriptUrl('claims.js'), { type: 'module' }));
  let connection = open();
  return {
    /** @returns {Promise<GroupData[]>} */
    course: () => connection.call('course', []),
    /** Gets the engine ready. @returns {Promise<void>} */
    prepare: () => connection.call('prepare', []),
    /** @param {RunRequest} request @returns {Promise<Finding>} */
    run: (request) => connection.call('run', [request]),
    /** The model of a card. @param {RunRequest} request @returns {Promise<import('./model/file.js').ModelFile>} */
    model: (request) => connection.call('model', [request]),
    /** Another worker in the place of one that failed. */
    restart() {
      connection.terminate(new Error('A new worker was started.'));
      connection = open();
    },
  };
}
