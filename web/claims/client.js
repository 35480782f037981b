// What the page says to the worker of Claims.

import { connect } from 'glassformer/worker';

/**
 * @typedef {import('./worker.js').GroupData} GroupData
 * @typedef {import('./worker.js').Card} Card
 * @typedef {import('./worker.js').RunRequest} RunRequest
 * @typedef {import('./worker.js').Finding} Finding
 * @typedef {import('../models/catalogue.js').GivenModel} GivenModel
 */

/** @typedef {ReturnType<typeof connectClaims>} ClaimsClient */

/** @param {(name: string) => string} scriptUrl */
export function connectClaims(scriptUrl) {
  const open = () => connect(new Worker(scriptUrl('claims.js'), { type: 'module' }));
  let connection = open();
  return {
    /** @returns {Promise<GroupData[]>} */
    groups: () => connection.call('groups', []),
    /** Gets the engine ready. @returns {Promise<void>} */
    prepare: () => connection.call('prepare', []),
    /** @param {RunRequest} request @returns {Promise<Finding>} */
    run: (request) => connection.call('run', [request]),
    /** The number of a cell of its map, and of its twin. @param {RunRequest} request @returns {Promise<number[]>} */
    cell: (request) => connection.call('cell', [request]),
    /** What else shows a card. @param {Card} card @returns {Promise<import('./related.js').Related>} */
    related: (card) => connection.call('related', [card]),
    /** The model of a card. @param {RunRequest} request @returns {Promise<GivenModel>} */
    model: (request) => connection.call('model', [request]),
    /** Another worker in the place of one that failed. */
    restart() {
      connection.terminate(new Error('A new worker was started.'));
      connection = open();
    },
    end: () => connection.terminate(new Error('It was ended.')),
  };
}
