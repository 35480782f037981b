// The place Train: the run that is shown, what the reader does with it, and its address.

import { createView } from './view.js';
import css from './style.css';
import { addStyle } from '../draw/style.js';
import { FIRST_TEXT } from './first-text.js';
import { readAddress, writeAddress } from './address.js';
import { LIVE, settingsAt } from './changes.js';
import { ask } from './ask.js';
import { connectTrainer } from './client.js';
import { canShare, createKeep } from './keep.js';
import { createLife, readHidden } from './life.js';
import { MOST_PINS } from './comparison-view.js';
import { FIELDS, problemOf, readValue } from './settings.js';

/**
 * @typedef {import('./worker.js').Report} Report
 * @typedef {import('./worker.js').TaskFacts} TaskFacts
 * @typedef {Readonly<Record<string, import('./settings.js').Value>>} Settings
 * @typedef {{
 *   tasks: ReadonlyMap<string, TaskFacts>, task: string, settings: Settings, start: Settings,
 *   changes: readonly import('./changes.js').Change[], report: Report | null, until: number,
 *   running: boolean, speed: number, example: number | string, head: {layer: number, head: number},
 *   cell: {row: number, column: number}, loss: number[], rate: number[], norm: number[],
 *   layers: (number[] | null)[],
 *   text: string, level: string, pins: import('./comparison-view.js').Pin[], guide: number | null,
 *   problem: {field: string, text: string, typed: string} | null, notice: string, link: string, canShare: boolean,
 *   hidden: import('./life.js').Hidden,
 *   scheme: import('../draw/color.js').Scheme,
 * }} TrainState `settings`: those of the step that is shown, `start`: of the first; `example`: a held-out row, or the
 * text of one of the reader's own; `until`: where training pauses; `problem`: a value that a setting cannot have, as it
 * was typed; `guide`: the page of the guided run that is open
 */

/** The task of the guided run. */
const GUIDED = 'reverse';
const SEEN = 200; // steps/s
const REST = 400; // ms; a browser refuses an address that changes too often

/**
 * Begins the place, and from then on follows the address.
 * @param {HTMLElement} root
 * @param {(name: string) => string} scriptUrl
 * @param {(model: any) => Promise<void>} explore opens a model in Explore
 */
export async function begin(root, scriptUrl, explore) {
  addStyle(css);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  /** @type {ReturnType<typeof connectTrainer>} */
  let client;
  const isHere = () => /^#\/train\b/.test(location.hash);
  let known = ''; // the address as it was last followed or written

  /** @type {TrainState} */
  const state = {
    tasks: new Map(),
    task: '',
    settings: {},
    start: {},
    changes: [],
    report: null,
    until: 0,
    running: false,
    speed: 0,
    example: 0,
    head: { layer: 0, head: 0 },
    cell: { row: 0, column: 0 },
    loss: [],
    rate: [],
    norm: [],
    layers: [],
    pins: [],
    guide: null,
    text: FIRST_TEXT,
    level: 'words',
    problem: null,
    notice: '',
    link: '',
    canShare: canShare(),
    hidden: readHidden(),
    scheme: dark.matches ? 'dark' : 'light',
  };
  const life = createLife({
    state,
    client: () => client,
    inTurn,
    set,
    take,
    draw,
    pause: () => training?.abort(),
    goOn: () => trainTo(...way),
    goOnWith,
    reach: (to) => reach(to),
    showOpened,
    open,
  });
  const view = createView(root, {
    onTask: (task) => open(task, recipeOf(task), 0, true),
    onPlay: () => (state.running ? pause() : play()),
    onStep: () => trainTo(step() + 1, 0),
    onGo: scrub,
    onSpeed: (speed) => again(() => (state.speed = speed)),
    onExample: (example) => again(() => (state.example = example), true),
    onAsk: (typed) => ask({ typed, state, client, inTurn, take, set, goOn }),
    onHead: (head) => set({ head }),
    onCell: (cell) => set({ cell }),
    onField: setField,
    onRecipe: () => open(state.task, recipeOf(state.task), 0),
    ...createKeep({ state, client: () => client, inTurn, tell: (notice) => set({ notice }), takeOver, explore: leave }),
    onText: useText,
    onRefusal: (text) => set({ problem: { field: 'text', text, typed: state.text } }),
    onPin: () => set({ pins: [...state.pins, pinOf()] }),
    onUnpin: () => set({ pins: [] }),
    onTwin: twin,
    connect: () => connectTrainer(scriptUrl),
    onGuide: turnGuide,
    onMoment: goTo,
    ...life,
  });

  /** @type {AbortController | null} of the training under way */
  let training = null;
  /** What has to do with the run, one after the other. @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @type {number | null} the moment that is to be shown next */
  let wanted = null;
  let timer = 0;
  let [isAway, isFirst] = [false, true]; // at another place; what is opened
  /** The training that was asked for last. @type {[until: number, perSecond: number]} */
  let way = [0, 0];

  const step = () => state.report?.step ?? 0;
  const recipeOf = (/** @type {string} */ task) => /** @type {TaskFacts} */ (state.tasks.get(task)).recipe;
  /** An FFN alone would be done before it is seen. @param {string} task */
  const speedOf = (task) => (state.tasks.get(task)?.ffn ? SEEN : state.speed === SEEN ? 0 : state.speed);
  const recipes = () => new Map([...state.tasks].map(([name, { recipe }]) => [name, recipe]));
  const address = () => writeAddress({ ...state, settings: state.start, step: step() }, recipeOf(state.task));

  function draw() {
    if (state.report) state.link = new URL(address(), location.href).href;
    if (!document.hidden) view.update(state);
    life.keepPins();
  }

  /** @param {Partial<TrainState>} patch */
  function set(patch) {
    Object.assign(state, patch);
    draw();
  }

  /**
   * Does something with the run once what is under way has ended.
   * @param {() => Promise<unknown>} action
   */
  function inTurn(action) {
    training?.abort();
    const turn = last.then(action).catch((error) => {
      const field = FIELDS.some(({ name }) => name === error.parameter) ? error.parameter : '';
      const typed = String(error.value);
      set({
        running: false,
        notice: field ? '' : error.message,
        problem: field && { field, text: error.message, typed },
      });
    });
    last = turn;
    return turn;
  }

  /** @param {Report} report */
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
    writeSoon();
  }

  /**
   * A new run; at once up to a step where a link says so.
   * @param {string} task @param {Settings} settings @param {number} to @param {boolean} [isEntry] of the history
   * @param {TrainState['changes']} [changes] on the way
   * @returns {Promise<unknown>}
   */
  function open(task, settings, to, isEntry = false, changes = []) {
    const last = state.task === task ? state.head : null;
    if (state.task !== task) Object.assign(state, { pins: [], example: 0, speed: speedOf(task) });
    if (task !== GUIDED) state.guide = null;
    const until = Number(settingsAt(settings, changes, Infinity).steps);
    set({ task, settings, start: settings, changes, problem: null, notice: state.notice, until });
    return inTurn(async () => {
      if (isEntry) {
        history.pushState(null, '', writeAddress({ task, settings, step: 0 }, recipeOf(task)));
        known = location.hash;
      }
      const report = await client.start({ task, settings, changes, example: state.example });
      state.head = last ?? { layer: report.look.maps.length - 1, head: 0 };
      state.cell = { row: 0, column: 0 };
      take(report);
    }).then(() => {
      if (state.report || !state.problem) return to && !state.problem && trainTo(to, 0);
      state.notice = `The settings of this link cannot be (${state.problem.text}): these are the recipe’s.`;
      return open(task, recipeOf(task), 0); // there would be nothing to see, and no field to mend it
    });
  }

  /** Shows a run that the worker has opened. @param {import('./keep.js').Opened} opened */
  function takeOver({ facts, settings, source, report }) {
    const { name: task, recipe } = facts;
    const { changes } = report;
    history.pushState(null, '', writeAddress({ task, settings, changes, step: report.step }, recipe));
    known = location.hash;
    Object.assign(state, { guide: null, notice: '' });
    showOpened({ facts, settings, source, report });
  }

  /** @param {import('./keep.js').Opened} opened @param {TrainState['pins']} [pins] */
  function showOpened({ facts, settings, source, report }, pins = []) {
    const { name: task } = facts;
    if (state.task !== task) state.pins = pins;
    const tasks = new Map([...state.tasks, [task, facts]]);
    const until = Math.max(Number(settingsAt(settings, report.changes, Infinity).steps), report.step);
    Object.assign(state, { tasks, task, start: settings, ...source, until, problem: null, example: 0 });
    take(report);
  }

  /** @param {number} until @param {number} perSecond */
  function trainTo(until, perSecond) {
    way = [until, perSecond];
    return inTurn(async () => {
      training = new AbortController();
      set({ running: true, notice: '' });
      const { signal } = training;
      take(await client.train({ until, perSecond, example: state.example, signal, onProgress: take }));
      training = null;
      set({ running: false });
    });
  }

  function play() {
    if (step() >= state.until) state.until = step() + Number(state.settings.steps);
    return trainTo(state.until, state.speed);
  }

  const goOn = () => (step() < way[0] ? trainTo(way[0], state.speed) : undefined); // a link ends at its step
  const pause = () => training?.abort();

  /** Shows a moment; of several that are asked for meanwhile the last. @param {number} moment */
  function scrub(moment) {
    wanted = moment;
    return inTurn(async () => {
      if (wanted === null) return;
      const to = wanted;
      wanted = null;
      take(await client.go({ step: to, example: state.example }));
    });
  }

  /** Goes to a step, back or on. @param {number} to */
  const reach = (to) => (step() < to ? trainTo(to, 0) : scrub(to));

  /** Shows a step of the recipe's run, taken if need be. @param {number} to */
  function goTo(to) {
    const recipe = recipeOf(state.task);
    const isRecipe = FIELDS.every(({ name }) => name === 'seed' || state.start[name] === recipe[name]);
    if (!isRecipe || state.changes.length) return open(state.task, { ...recipe, seed: state.settings.seed }, to);
    return reach(to);
  }

  /** @param {number | null} page of the guided run; null: it is closed */
  function turnGuide(page) {
    const begins = state.guide === null && page !== null;
    set({ guide: page, ...(begins ? { pins: [] } : {}) });
    if (begins) open(GUIDED, recipeOf(GUIDED), 0, state.task !== GUIDED);
    else writeSoon();
  }

  /** Changes how a run is shown, which goes on if it did. @param {() => void} change @param {boolean} [shows] */
  function again(change, shows = false) {
    const goesOn = state.running;
    change();
    draw();
    if (shows) scrub(step());
    if (goesOn) inTurn(async () => {}).then(goOn);
  }

  /** @param {string} name @param {string} text */
  function setField(name, text) {
    const field = FIELDS.find((each) => each.name === name);
    if (!field) return;
    const value = readValue(field, text);
    const problem = problemOf(field, value, state.settings);
    if (problem) return set({ problem: { field: name, text: `${problem}, not ${text || 'empty'}`, typed: text } });
    return LIVE.includes(name)
      ? goOnWith({ [name]: value })
      : open(state.task, { ...state.settings, [name]: value }, 0);
  }

  /**
   * Goes on with other values of some settings; what came after that step is dropped.
   * @param {Settings} patch of what can change during a run @param {number} [from] by default the step that is shown
   */
  async function goOnWith(patch, from) {
    const goesOn = state.running;
    await inTurn(async () => {}); // it pauses, at a step that is only then known
    const at = from ?? step();
    if (at === 0) await open(state.task, { ...state.settings, ...patch }, 0);
    else
      await inTurn(async () => {
        take(await client.change({ step: at, patch, example: state.example }));
        set({ problem: null, until: Number(patch.steps ?? state.until) });
      });
    if (goesOn && !state.problem) await play();
  }

  /** @param {string} text @param {string} level */
  function useText(text, level) {
    set({ text, level, example: 0 });
    return inTurn(async () => {
      try {
        state.tasks = new Map([...state.tasks, ['text', await client.text({ text, level })]]);
      } catch (error) {
        return set({ problem: { field: 'text', text: /** @type {Error} */ (error).message, typed: text } });
      }
      open('text', recipeOf('text'), 0);
    });
  }

  /** @returns {import('./comparison-view.js').Pin} */
  const pinOf = () => ({
    settings: state.start,
    changes: state.changes,
    loss: [...state.loss],
    checks: state.report?.checks ?? [],
  });

  /** Trains the recipe with one switch changed beside the present run. @param {Record<string, any>} change */
  function twin(change) {
    const pins = step() && state.pins.length < MOST_PINS ? [...state.pins, pinOf()] : state.pins;
    /** @type {Settings} */
    const settings = { ...recipeOf(state.task), seed: state.settings.seed, ...change };
    set({ pins });
    open(state.task, settings, Number(settings.steps));
  }

  /** To Explore: Back is to lead to this moment. @param {import('../models/catalogue.js').GivenModel} model */
  function leave(model) {
    write();
    return explore(model);
  }

  function write() {
    timer = 0;
    if (!isHere() || !state.report || location.hash !== known) return; // another address waits for its event
    if (known !== address()) history.replaceState(null, '', address());
    known = location.hash;
  }

  function writeSoon() {
    timer ||= setTimeout(write, REST);
  }

  function follow() {
    const wasAway = isAway;
    isAway = !isHere();
    known = location.hash;
    if (isAway) return pause();
    const isShown = /^#\/train\/?$/.test(known) || (state.report && known === address());
    if (wasAway && state.report && isShown) return write(); // back to what was shown
    const { task, settings, changes, step: to, guide, refused } = readAddress(location.hash, recipes());
    state.guide = guide;
    state.notice = refused.length
      ? `Parts of this link could not be read (${refused.slice(0, 3).join(', ')}) and have their default values.`
      : '';
    if (isFirst) life.comeBack({ task, settings, changes }, to);
    else open(task, settings, to, false, changes);
    isFirst = false;
  }

  try {
    client = connectTrainer(scriptUrl);
  } catch {
    return set({ notice: 'Training needs a worker, which this frame or browser does not allow.' });
  }
  draw();
  addEventListener('hashchange', follow);
  dark.addEventListener('change', () => set({ scheme: dark.matches ? 'dark' : 'light' }));
  await inTurn(async () => {
    state.tasks = new Map((await client.tasks()).map((facts) => [facts.name, facts]));
  });
  if (!state.tasks.size) return;
  follow();
}
