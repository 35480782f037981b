// The place Train: the run that is shown, what the reader does with it, and its address.

import { createView } from './view.js';
import { createChoices } from './choices.js';
import { connectTrainer } from './client.js';
import { createCourse } from './course.js';
import { canShare, createKeep } from './keep/late.js';
import { createLife } from './life/life.js';
import { createLink } from './link.js';
import { settingsAt } from './settings/changes.js';
import { firstState, stepOf } from './state.js';
import { ask } from './watch/ask.js';

export { connectTrainer }; // for Explore, in this chunk

/** @typedef {import('./state.js').TrainState} TrainState */

/**
 * Begins the place, and from then on follows the address.
 * @param {HTMLElement} root
 * @param {(name: string) => string} scriptUrl
 * @param {(model: any) => Promise<void>} explore opens a model in Explore
 */
export async function begin(root, scriptUrl, explore) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const scheme = () => (dark.matches ? 'dark' : 'light');
  const state = firstState({ scheme: scheme(), canShare: canShare() });
  /** @type {ReturnType<typeof connectTrainer>} */
  let worker;
  const client = () => worker;

  const course = createCourse({ state, client, set, take });
  const { inTurn, again, pause, play } = course;
  const link = createLink({
    state,
    pause,
    begin({ task, settings, changes, step }, isFirst) {
      if (isFirst) life.comeBack({ task, settings, changes }, step);
      else choices.open(task, settings, step, false, changes);
    },
  });
  const choices = createChoices({ state, client, set, take, course, link });
  const life = createLife({ state, client, set, take, draw, ...course, ...choices });
  /**
   * What the reader does ends the notice of what was before.
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
    onTask: fresh((task) => choices.open(task, undefined, 0, true)),
    onPlay: fresh(() => (state.running ? pause() : play())),
    onStep: fresh(() => course.trainTo(stepOf(state) + 1, 0)),
    onGo: fresh(course.scrub),
    onSpeed: (speed) => again(() => (state.speed = speed)),
    onExample: (example) => again(() => (state.example = example), true),
    onAsk: (typed) => ask({ typed, state, client: worker, inTurn, take, set, goOn: course.goOn }),
    onHead: (head) => set({ head }),
    onCell: (cell) => set({ cell }),
    onField: fresh(choices.setField),
    onRecipe: fresh(() => choices.open(state.task)),
    ...createKeep({
      state,
      client,
      inTurn,
      tell: (notice) => set({ notice }),
      takeOver: choices.takeOver,
      explore(model) {
        link.write(); // Back is to lead to this moment
        return explore(model);
      },
    }),
    onText: fresh(choices.useText),
    onRefusal: (text) => set({ problem: { field: 'text', text, typed: state.text } }),
    onPin: choices.pin,
    onUnpin: () => set({ pins: [] }),
    onTwin: fresh(choices.twin),
    connect: () => connectTrainer(scriptUrl),
    onTwins(text) {
      set({ twins: text ? { text, asked: false } : null });
      link.writeSoon();
    },
    onGuide: fresh(choices.turnGuide),
    onMoment: fresh(choices.goTo),
    ...life,
  });

  function draw() {
    if (state.report) state.link = new URL(link.address(), location.href).href;
    if (!document.hidden) view.update(state);
    life.keepPins();
  }

  /** @param {Partial<TrainState>} patch */
  function set(patch) {
    Object.assign(state, patch);
    draw();
  }

  /** @param {import('./state.js').Report} report */
  function take(report) {
    for (const name of /** @type {const} */ (['loss', 'rate', 'norm', 'layers'])) {
      const all = /** @type {any[]} */ (state[name]);
      all.length = report.curve.from;
      all.push(...report.curve[name]);
    }
    const count = report.look.maps.length;
    const heads = report.look.maps[0]?.heads ?? 1;
    const { layer, head } = state.head;
    const { changes } = report;
    const settings = settingsAt(state.start, changes, report.step);
    set({ report, changes, settings, head: { layer: Math.min(layer, count - 1), head: Math.min(head, heads - 1) } });
    link.writeSoon();
  }

  try {
    worker = connectTrainer(scriptUrl);
  } catch {
    return set({ notice: 'Training needs a worker, which this frame or browser does not allow.' });
  }
  draw();
  addEventListener('hashchange', link.follow);
  dark.addEventListener('change', () => set({ scheme: scheme() }));
  await inTurn(async () => {
    state.tasks = new Map((await worker.tasks()).map((facts) => [facts.name, facts]));
  });
  if (state.tasks.size) link.follow();
}
