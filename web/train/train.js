// The place Train: the run that is shown, what the reader does with it, and its address.

import { createClient } from '../kit/client.js';
import { createChoices } from './choices.js';
import { serveDatabase } from './keep/database.js';
import { createLife } from './life/life.js';
import { createLink } from './link.js';
import { createOpening } from './opening.js';
import { keepSpeed } from './pace.js';
import { createPage } from './page.js';
import { createPlayback } from './playback.js';
import { createPlace, stepOf } from './state.js';
import { createTexts } from './texts.js';

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
 * @typedef {ReturnType<typeof createActions> & ReturnType<typeof createLife> & {
 *   connect: () => TrainClient, explore: (model: any) => Promise<void>,
 * }} Actions
 */

/**
 * Opens the place.
 * @param {HTMLElement} root
 * @param {(name: string) => string} scriptUrl
 * @param {(model: any) => Promise<void>} explore opens a model in Explore
 * @param {import('../kit/link.js').Link} address
 * @returns {Promise<import('../kit/place.js').Life>}
 */
export async function begin(root, scriptUrl, explore, address) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const scheme = () => (dark.matches ? 'dark' : 'light');
  const worker = connected(scriptUrl);
  const client = /** @type {TrainClient} */ (worker); // without one, Train only says so
  const place = createPlace(client, { scheme: scheme(), canShare: canShare() });
  const { get, put, set } = place;
  const playback = createPlayback(place);
  const link = createLink(place, address);
  const opening = createOpening(place, playback, link);
  const choices = createChoices(place, playback, link, opening);
  const ofLife = createLife(place, playback, opening, choices);
  const page = createPage(root, {
    ...createActions(place, playback, link, opening, choices),
    ...ofLife,
    connect: () => connectTrainer(scriptUrl),
    explore(model) {
      link.write(); // Back is to lead to this moment
      return explore(model);
    },
  });
  place.watch(() => {
    if (!document.hidden) page.update();
  });

  let isFirst = true; // the page has just been opened
  /** @param {string} hash @param {boolean} isBack */
  function follow(hash, isBack) {
    const asked = get().tasks.size > 0 && link.follow(hash, isBack); // without tasks no address can be read
    if (!asked) return;
    const { task, settings, changes, step } = asked;
    if (isFirst) ofLife.comeBack({ task, settings, changes }, step, link.isOwn());
    else opening.open(task, settings, step, false, changes);
    isFirst = false;
  }

  document.getElementById('book-button')?.addEventListener('click', () => {
    if (document.documentElement.dataset.place !== 'train') return;
    if (get().guide !== null || get().challenge) {
      put({ challenge: '' });
      return choices.turnGuide(null);
    }
    link.write(); // Back is to lead to this moment
    location.hash = '#/train?guide=1';
  });

  const life = { follow, leave: playback.pause };
  if (!worker) {
    set({ notice: 'Training needs a worker, which this frame or browser does not allow.' });
    return life;
  }
  place.draw();
  dark.addEventListener('change', () => set({ scheme: scheme() }));
  await playback.inTurn(async () => {
    put({ tasks: new Map((await client.tasks()).map((facts) => [facts.name, facts])) });
  });
  return life;
}

/**
 * What the features may do.
 * @param {import('./state.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {ReturnType<typeof createLink>} link
 * @param {ReturnType<typeof createOpening>} opening
 * @param {ReturnType<typeof createChoices>} choices
 */
function createActions(place, playback, link, opening, choices) {
  const { get, put, set } = place;
  const { open } = opening;
  const { again, pause, play, scrub, trainTo } = playback;
  const texts = createTexts(place, playback, opening);
  /**
   * An action ends the notice of the last one.
   * @template {any[]} T @param {(...given: T) => unknown} action
   * @returns {(...given: T) => void}
   */
  const fresh =
    (action) =>
    (...given) => {
      put({ notice: '' });
      action(...given);
    };
  return {
    ...place,
    ...playback,
    ...opening,
    ...choices,
    onTask: fresh((/** @type {string} */ task) => open(task, undefined, 0, true)),
    onPlay: fresh(async () => (get().running ? pause() : (await texts.useDraft()) && play())),
    onStep: fresh(async () => (await texts.useDraft()) && trainTo(stepOf(get()) + 1, 0)),
    onGo: fresh(scrub),
    onSpeed: (/** @type {number} */ speed) => (keepSpeed(speed), again(() => put({ speed }))),
    onExample: (/** @type {number} */ example) => again(() => put({ example }), true),
    onField: fresh(choices.setField),
    onOperate: fresh(choices.operate),
    onRecipe: fresh(() => open(get().task)),
    onText: fresh(texts.useText),
    onDraft: texts.draftText,
    onCompare(/** @type {import('./compare/compare.js').Comparison} */ comparison) {
      set({ comparison });
      link.writeSoon();
    },
    onGuide: fresh(choices.turnGuide),
  };
}

/** @param {(name: string) => string} scriptUrl */
function connected(scriptUrl) {
  try {
    return connectTrainer(scriptUrl);
  } catch {
    return null;
  }
}

/** Whether this browser shares files. */
const canShare = () => navigator.canShare?.({ files: [new File([''], 'run.safetensors')] }) ?? false;
