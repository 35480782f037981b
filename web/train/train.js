// The place Train: the run that is shown, what the reader does with it, and its address.

import { createClient } from '../kit/client.js';
import { createChoices } from './choices.js';
import { serveDatabase } from './keep/database.js';
import { createLife } from './life/life.js';
import { createRunLink } from './link.js';
import { createOpening } from './opening.js';
import { keepSpeed } from './pace.js';
import { createPage } from './page.js';
import { createPlayback } from './playback.js';
import { createPlace, stepOf } from './state.js';
import { inWords } from '../kit/in-words.js';

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
  const link = createRunLink(place, address);
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
    if (get().lesson) return choices.turnLesson('');
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
 * The actions of the features.
 * @param {import('./state.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {ReturnType<typeof createRunLink>} link
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
    onCompare(/** @type {import('./comparison.js').Comparison} */ comparison) {
      set({ comparison });
      link.writeSoon();
    },
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

/**
 * @param {import('./state.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {Pick<ReturnType<typeof import('./opening.js').createOpening>, 'open'>} opening
 */
function createTexts({ get, put, client, set }, { inTurn }, { open }) {
  const texts = {
    /**
     * The text in the box is not the one trained on: it is new or was refused.
     * @param {string} text @param {string} level
     */
    draftText(text, level) {
      const isUsed = text === get().text && level === get().level;
      const isShown = isUsed === (get().draft === null) && get().problem?.field !== 'text';
      put({ draft: isUsed ? null : { text, level } });
      if (!isShown) set({ problem: null });
    },

    /** @param {string} text @param {string} level */
    async useText(text, level) {
      /** @type {Promise<unknown> | undefined} */
      let opened;
      const refuse = (/** @type {string} */ why) =>
        set({ draft: { text, level }, problem: { field: 'text', text: why, typed: text } });
      await inTurn(async () => {
        if (!text.trim()) return refuse('it is empty. Type or paste some words.');
        try {
          const tasks = new Map([...get().tasks, ['text', await client.text({ text, level })]]);
          put({ tasks, text, level, draft: null, example: 0 });
        } catch (error) {
          const { code } = /** @type {import('glassformer').GlassformerError} */ (error);
          return refuse(code === 'range' ? `it needs at least two different ${level}.` : inWords(error));
        }
        opened = open('text');
      });
      await opened;
    },

    /** Uses what stands in the box before it is trained on. @returns {Promise<boolean>} whether it could be */
    async useDraft() {
      const { task, draft } = get();
      if (task === 'text' && draft) await texts.useText(draft.text, draft.level);
      return task !== 'text' || get().draft === null;
    },
  };
  return texts;
}
