// The place Train: the run that is shown, what the reader does with it, and its address.

import { createView } from './view.js';
import { createChoices } from './choices.js';
import { createPlayback } from './playback.js';
import { serveDatabase } from './keep/database.js';
import { canShare, createKeep } from './keep/late.js';
import { createLife } from './life/life.js';
import { createLink } from './link.js';
import { createOpening } from './opening.js';
import { keepSpeed } from './pace.js';
import { createPlace } from './place.js';
import { stepOf } from './state.js';
import { createTexts } from './text/use.js';
import { createTrial } from './trial.js';
import { ask } from './watch/ask.js';
import { createClient } from '../kit/client.js';
import { lateView } from '../shared/late-view.js';

/** @typedef {import('../kit/client.js').Client<import('./run/worker.js').Methods>} TrainClient */

/** Also for Explore, which trains the model of a link. @param {(name: string) => string} scriptUrl */
export function connectTrainer(scriptUrl) {
  const start = () => new Worker(scriptUrl('trainer.js'), { type: 'module' });
  const client = /** @type {TrainClient} */ (createClient(start, { whole: true }));
  const { port1, port2 } = new MessageChannel();
  serveDatabase(port1);
  client.storage(port2).catch(() => {}); // the next call says why
  return client;
}

/**
 * Begins the place, and from then on follows the address.
 * @param {HTMLElement} root
 * @param {(name: string) => string} scriptUrl
 * @param {(model: any) => Promise<void>} explore opens a model in Explore
 */
export async function begin(root, scriptUrl, explore) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const scheme = () => (dark.matches ? 'dark' : 'light');
  const worker = connected(scriptUrl);
  const client = /** @type {TrainClient} */ (worker); // without one, Train only says so
  const place = createPlace(client, { scheme: scheme(), canShare: canShare() });
  const { state, set } = place;
  const playback = createPlayback(place);
  const { inTurn, again, pause, play } = playback;
  const link = createLink(place, playback);
  const opening = createOpening(place, playback, link);
  const choices = createChoices(place, playback, link, opening);
  const texts = createTexts(place, playback, opening);
  const life = createLife(place, playback, opening, choices);

  /**
   * An action ends the notice of the last one.
   * @template {any[]} T @param {(...given: T) => unknown} action
   * @returns {(...given: T) => void}
   */
  const fresh =
    (action) =>
    (...given) => {
      state.notice = '';
      action(...given);
    };
  const view = createView(root, {
    onTask: fresh((task) => opening.open(task, undefined, 0, true)),
    onChallenges() {
      link.write(); // Back is to lead to this moment
      location.hash = '#/train?task=copy&challenge=1';
    },
    onPlay: fresh(async () => (state.running ? pause() : (await texts.useDraft()) && play())),
    onStep: fresh(async () => (await texts.useDraft()) && playback.trainTo(stepOf(state) + 1, 0)),
    onGo: fresh(playback.scrub),
    onSpeed: (speed) => (keepSpeed(speed), again(() => (state.speed = speed))),
    onExample: (example) => again(() => (state.example = example), true),
    onAsk: (typed) => ask(typed, place, playback),
    onEdit: () => set({ edits: !state.edits }),
    ...createTrial(place, playback, opening),
    onHead: (head) => set({ head }),
    onCell: (cell) => set({ cell }),
    onField: fresh(choices.setField),
    onOperate: fresh(choices.operate),
    onRecipe: fresh(() => opening.open(state.task)),
    ...createKeep(place, playback, opening.takeOver, (model) => {
      link.write(); // Back is to lead to this moment
      return explore(model);
    }),
    onText: fresh(texts.useText),
    onDraft: texts.draftText,
    onRefusal: (text) => set({ problem: { field: 'text', text, typed: state.text } }),
    connect: () => connectTrainer(scriptUrl),
    onCompare(comparison) {
      set({ comparison });
      link.writeSoon();
    },
    onGuide: fresh(choices.turnGuide),
    ...life,
  });

  const lessons = lateView(async () =>
    (await import('./lessons.js')).createTrainLessons(root, place, opening, choices),
  );
  place.watch(() => {
    if (document.hidden) return;
    view.update(state);
    lessons.update(state.guide !== null || state.challenge ? state : null);
  });

  let isFirst = true; // the page has just been opened
  function follow() {
    const asked = link.follow();
    if (!asked) return;
    const { task, settings, changes, step } = asked;
    if (isFirst) life.comeBack({ task, settings, changes }, step, link.isOwn());
    else opening.open(task, settings, step, false, changes);
    isFirst = false;
  }

  if (!worker) return set({ notice: 'Training needs a worker, which this frame or browser does not allow.' });
  place.draw();
  addEventListener('hashchange', () => state.tasks.size && follow()); // before, no address can be read
  dark.addEventListener('change', () => set({ scheme: scheme() }));
  await inTurn(async () => {
    state.tasks = new Map((await client.tasks()).map((facts) => [facts.name, facts]));
  });
  if (state.tasks.size) follow();
}

/** @param {(name: string) => string} scriptUrl */
function connected(scriptUrl) {
  try {
    return connectTrainer(scriptUrl);
  } catch {
    return null;
  }
}
