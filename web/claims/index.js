// Claims' features in the order of the page. A new one is a file of features/ and a line here.

import { html } from 'lit-html';
import { card } from './features/card.js';
import { forClass } from './features/class.js';
import { list } from './features/list.js';
import { notices } from './features/notices.js';
import { question } from './features/question.js';
import { share } from './features/share.js';
import { switches } from './features/switches.js';
import { turn } from './features/turn.js';

/**
 * `claim`: the one of the address; `view`: the shown one, '' until the claims are here.
 * @typedef {{
 *   state: import('./state.js').ClaimsState, claim: import('./worker.js').ClaimData | undefined,
 *   view: import('./schema.js').View | '',
 * }} Context
 *
 * `write`: the state's address; `change`: the state and what follows from another address, run at once or not;
 * `setSwitches`: all but the seeds; `reveal`: what is measured; `again`: asks another worker; `explore`: opens a model.
 * @typedef {{
 *   get: () => import('./state.js').ClaimsState, set: (patch: Partial<import('./state.js').ClaimsState>) => void,
 *   client: import('./claims.js').ClaimsClient, run: () => void, cancel: () => void, write: () => void,
 *   change: (patch: Partial<import('./state.js').ClaimsState>, atOnce: boolean) => void,
 *   setSwitches: (params: import('./schema.js').Params) => void, reveal: () => void, again: () => void,
 *   explore: (model: import('../models/catalogue.js').GivenModel) => Promise<void>,
 * }} Tools
 *
 * As web/kit/feature.js says; `view`: the one that it is a part of, left out, all.
 * @typedef {import('../kit/feature.js').Feature<Context, Context, Tools> &
 *   {view?: import('./schema.js').View}} Feature
 * @typedef {import('../kit/feature.js').LateFeature<Feature>} Late
 */

/** @param {Context} context @param {(() => void) | null} again */
const wait = ({ state, view }, again) =>
  view === 'card' && !state.revealed
    ? null
    : again
      ? html`<div class="notices claims-problem" role="alert">
          <p>This part of the page could not be fetched.</p>
          <button type="button" @click=${again}>Try again</button>
        </div>`
      : html`<p class="hint">Loading…</p>`;

/** @type {(Feature | Late)[]} */
export const features = [
  notices,
  list,
  forClass,
  {
    name: 'projector',
    slot: 'top',
    when: ({ view }) => view === 'projector',
    load: async () => (await import('./features/projector.js')).projector,
    wait,
  },
  card,
  question,
  {
    name: 'measured',
    slot: 'columns',
    when: ({ view }) => view === 'card', // from the card's opening on
    load: async () => (await import('./features/measured.js')).measured,
    wait,
  },
  switches,
  {
    name: 'boundary',
    slot: 'card-end',
    when: ({ view, claim, state }) => view === 'card' && state.revealed && Boolean(claim?.boundary),
    load: async () => (await import('./features/boundary.js')).boundary,
    wait: (context, again) => again && wait(context, again),
  },
  {
    name: 'turns',
    slot: 'card-end',
    when: ({ view, claim, state }) => view === 'card' && state.revealed && Boolean(claim),
    load: async () => (await import('./features/turns.js')).turns,
    wait: (context, again) => again && wait(context, again),
  },
  turn,
  share,
];
