// Plays a trail: its slides, what the reader predicts, what the engine says.

import { question, said } from './ask.js';
import { shownLink, stateAddress, trailLink } from './link.js';
import { onPageKey } from '../../shared/page-keys.js';
import { readTrail } from '../../shared/trail.js';
import * as view from './view-player.js';

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('../../shared/trail.js').Step} Step
 * @typedef {import('./ask.js').Said} Said
 *
 * What came of a prediction; `guess`: null: the reader asked to be shown; `agreed`: null: nothing says which is right.
 * @typedef {{guess: string | null, right: string | null, agreed: boolean | null}} Outcome
 */

/**
 * @param {HTMLElement} root
 * @param {import('../index.js').Tools} tools
 */
export function createPlayer(root, tools) {
  const strip = view.create(root, { onGuess: reveal, onTurn: turn, onLeave: leave });
  let trail = '';
  /** @type {Step[] | null} */
  let steps = null;
  let at = 0; // the step, from 0
  /** By step. @type {Map<number, Outcome>} */
  const outcomes = new Map();
  /** The likeliest words of each step that was seen. @type {Map<number, string[]>} */
  const seen = new Map();
  /** @type {import('./ask.js').Asked | null} */
  let asked = null;

  addEventListener('keydown', (event) => {
    const isTaken = event.defaultPrevented || (event.target instanceof Element && event.target.closest('.trail'));
    if (steps && !isTaken && document.documentElement.dataset.place === 'explore')
      onPageKey(event, { turn: (way) => (way > 0 && !outcomes.has(at) ? reveal(null) : turn(way)), leave });
  });

  /** @param {1 | -1} way */
  function turn(way) {
    if (steps?.[at + way]) location.href = trailLink(trail, location.href, at + way + 1);
  }

  /** The reader goes on with the state that is shown. */
  function leave() {
    location.href = stateAddress(shownLink(tools.link()), location.href);
  }

  /** @param {string | null} guess */
  function reveal(guess) {
    const now = saidNow();
    const right = asked?.rightOf(now) ?? null;
    outcomes.set(at, { guess, right, agreed: guess === null || right === null ? null : guess === right });
    draw();
    strip.focusNext();
  }

  /** What the model says at the place that is shown, once its result has come. */
  function saidNow() {
    const result = tools.presentResult();
    const state = tools.get();
    return result && !state.follow ? said(result, state, tools.modelInfo()) : null;
  }

  function draw() {
    if (!steps) return;
    const { sentence, question: own } = steps[at];
    const now = saidNow();
    if (!outcomes.has(at)) {
      asked = question(own, now, seen.get(at - 1) ?? [], asked);
      if (!asked && tools.presentResult()) outcomes.set(at, { guess: null, right: null, agreed: null });
    }
    const outcome = outcomes.get(at) ?? null;
    if (outcome && now) seen.set(at, now.words);
    document.documentElement.dataset.trail = outcome ? 'shown' : 'ask';
    const counted = [...outcomes.values()].filter(({ agreed }) => agreed !== null);
    strip.update({
      number: at + 1,
      count: steps.length,
      sentence,
      asked: outcome ? null : asked,
      outcome,
      now: outcome ? now : null,
      right: counted.filter(({ agreed }) => agreed).length,
      predicted: counted.length,
    });
  }

  /** @param {string} next */
  async function open(next) {
    trail = next;
    steps = null;
    outcomes.clear();
    seen.clear();
    const read = next ? await readTrail(next).catch(() => null) : null;
    if (trail !== next) return;
    steps = read;
    root.hidden = !read;
    if (read) return update(tools.get());
    delete document.documentElement.dataset.trail;
  }

  /** @param {State} state */
  function update(state) {
    if (state.trail !== trail) return void open(state.trail);
    if (!steps) return;
    const next = Math.min(state.step, steps.length) - 1;
    if (next !== at) asked = null;
    at = next;
    draw();
  }

  return { update };
}
