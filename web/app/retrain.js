// A model that a link names, and that was trained in Train or Claims: the link holds all that training needs, so it is
// trained again, to the same bits, with progress. Fetched with the first.

import { add, offer } from './given-models.js';
import { aboutText } from '../draw/duration.js';
import { NOTHING, setModel } from '../models/catalogue.js';
import { placeOf } from './places.js';
import { showWaiting } from './waiting.js';
import { createClient } from '../kit/client.js';
import { inWords } from '../kit/in-words.js';
import { beginning } from '../kit/letters.js';

/**
 * @typedef {import('../models/catalogue.js').GivenModel} GivenModel
 * @typedef {import('./given-models.js').Page} Page
 * @typedef {ReturnType<typeof showWaiting>} Progress
 */

/** Seconds that training may take: a link may come from a stranger. */
const MOST = { unasked: 20, asked: 600 };

/**
 * Puts the model among those to choose from; it is trained as soon as the page waits for it.
 * @param {string} name of the model: the link to its run or card @param {Page} page
 */
export function want(name, page) {
  /** @type {AbortController | null} */
  let stop = null;
  const label = {
    label: 'Trained again',
    does: 'from this link',
    wanted: true,
    /** @param {boolean} waits */
    onWait(waits) {
      if (!waits) stop?.abort();
      else if (!stop) train(name, page, (stop = new AbortController()));
    },
  };
  setModel(name, { label, entry: NOTHING });
}

/** @param {string} name @param {Page} page @param {AbortController} stop */
async function train(name, page, stop) {
  const { signal } = stop;
  const where = name.startsWith('claims') ? 'its card' : 'Train';
  const shown = showWaiting({
    doing: `Training the model of this link again, as ${where} did.`,
    label: 'Training',
    cancelled: 'training was cancelled',
    stop,
  });
  let problem = '';
  try {
    const trained = (name.startsWith('claims') ? inClaims : inTrain)(name, page.scriptUrl, shown, signal);
    const model = /** @type {GivenModel} */ (await shown.until(trained));
    await add({ ...model, name }, page);
  } catch (error) {
    problem = inWords(error).replace(/\.$/, '');
  }
  stop.abort(); // which ends the worker
  let next = null; // where the reader goes on who was at the notice
  if (problem) {
    const waits = page.chosen() === name;
    setModel(name, null);
    if (!waits) return page.refresh(); // the reader went elsewhere
    page.giveUp();
    if (placeOf(location.hash) !== 'explore') return;
    next = offer(name, problem, page.chosen());
  }
  shown.end(next);
}

/**
 * @param {string} name @param {Page['scriptUrl']} scriptUrl @param {Progress} progress @param {AbortSignal} signal
 * @returns {Promise<GivenModel>}
 */
async function inClaims(name, scriptUrl, progress, signal) {
  const { readAddress } = await import('../claims/schema.js');
  signal.throwIfAborted();
  /** @type {import('../claims/claims.js').ClaimsClient} */
  const client = createClient(() => new Worker(scriptUrl('claims.js'), { type: 'module' }));
  signal.addEventListener('abort', client.end);
  const cards = (await client.groups()).flatMap(({ claims }) => claims);
  const { number, params, refused } = readAddress(`#/${name}`, new Map(cards.map((each) => [each.number, each])));
  if (refused.length) throw new Error(refused.slice(0, 3).join('; '));
  if (number === null) throw new Error('the link names no card');
  return client.model({ number, params, signal: new AbortController().signal, onProgress: progress.update });
}

/**
 * @param {string} name @param {Page['scriptUrl']} scriptUrl @param {Progress} progress @param {AbortSignal} signal
 * @returns {Promise<GivenModel>}
 */
async function inTrain(name, scriptUrl, progress, signal) {
  const [{ connectTrainer }, { readAddress }, { exploredModel }, { settingsAt }, { runSeconds }, { firstState }] =
    await Promise.all([
      import('../train/train.js'),
      import('../train/schema.js'),
      import('../train/keep/explored.js'),
      import('../train/settings/changes.js'),
      import('../train/settings/cost.js'),
      import('../train/state.js'),
    ]);
  signal.throwIfAborted();
  const client = connectTrainer(scriptUrl);
  signal.addEventListener('abort', client.end);
  const tasks = new Map((await client.tasks()).map((facts) => [facts.name, facts]));
  const recipes = new Map([...tasks].map(([task, { recipe }]) => [task, recipe]));
  const run = readAddress(`#/${name}`, recipes);
  const { task, settings, changes, step, refused } = run;
  const facts = /** @type {import('../train/run/worker.js').TaskFacts} */ (tasks.get(task));
  if (refused.includes('weights')) throw new Error('it was trained on a text, which no link holds');
  if (refused.length)
    throw new Error(`this page cannot read these parts of the link: ${beginning(refused.slice(0, 3).join(', '), 80)}`);
  if (facts.ffn) throw new Error('an FFN alone has no tokens to explore');
  const seconds = runSeconds(run, facts);
  if (seconds > MOST.asked) throw new Error(`training would take ${aboutText(seconds)}`);
  if (seconds > MOST.unasked) {
    const known = 'The model of this link was trained in Train. This page can train it again.';
    await progress.ask(known, `Train it (${aboutText(seconds)})`);
  }
  await client.start({ task, settings, changes, example: 0, keeps: false });
  const report = await client.train({
    until: step,
    perSecond: 0,
    example: 0,
    signal: new AbortController().signal,
    onProgress: (now) => void progress.update(now.step / step),
  });
  if (report.step < step) throw new Error(`training stopped at step ${report.step} of ${step}`);
  const now = { task, start: settings, settings: settingsAt(settings, changes, step), changes, tasks, report };
  const state = { ...firstState({ scheme: 'light', canShare: false }), ...now };
  return exploredModel(state, name.replace('train?', ''), await client.model());
}
