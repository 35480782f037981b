// The notices above the page: sentences about the settings and the run. Notes on the text stand below its box
// (explore/shared/notes.js).

import { settingNamed } from '../engine/model-settings.js';
import { changedSettings } from '../engine/plan.js';

/**
 * @param {object} page
 * @param {HTMLElement} page.element
 * @param {ReturnType<typeof import('../kit/store.js').createStore<import('./schema.js').State>>} page.store
 * @param {ReturnType<typeof import('../engine/session.js').createSession>} page.session
 * @param {ReturnType<typeof import('../engine/model-loader.js').createModelLoader>} page.loader
 * @param {ReturnType<typeof import('./router.js').createRouter>} page.router
 * @param {() => import('../engine/plan.js').ModelInfo | undefined} page.modelInfo
 */
export function createNotices({ element, store, session, loader, router, modelInfo }) {
  const again = /** @type {HTMLElement} */ (document.getElementById('again')); // shown where the module trapped
  const busy = /** @type {HTMLElement} */ (document.getElementById('busy')); // in a corner, so that nothing moves
  again.addEventListener('click', () => location.reload()); // the address has the state, and all else starts again

  function ofRun() {
    const { settings } = store.get();
    const info = modelInfo();
    return noticeOf({
      plan: session.plan(),
      changed: info ? changedSettings(settings, info.config) : [],
      facts: session.result()?.facts,
      error: session.error(),
    });
  }

  return {
    update() {
      const error = session.error();
      const run = loader.begun() ? ofRun() : (error?.message ?? '');
      const lasting = [loader.failure(), router.status(), run].filter(Boolean).join(' ');
      const text = lasting || loader.status();
      element.classList.toggle('passing', !lasting);
      if (element.textContent !== text) element.textContent = text; // else a screen reader would repeat it
      busy.hidden = !session.isSlow();
      again.hidden = error?.code !== 'broken';
    },
  };
}

/**
 * @param {object} now
 * @param {import('../engine/plan.js').Plan} now.plan
 * @param {string[]} now.changed switches that stand otherwise than in training
 * @param {import('../engine/protocol.js').RunFacts | undefined} now.facts of the shown result
 * @param {import('../engine/protocol.js').Problem | null} now.error
 * @returns {string}
 */
function noticeOf({ plan: { settings, ids }, changed, facts, error }) {
  const lines = [];
  if (changed.length) {
    lines.push(
      `Not as trained (${listedPlain(changed.map((name) => settingNamed(name).label))}): ` +
        'the trained weights run with changed settings.',
    );
  }
  if (facts?.absent.length) {
    lines.push(
      `The model’s file has no ${listedPlain(facts.absent.slice(0, 2).map(weightName))} for that: ` +
        'initial values are used.',
    );
  }
  if (typeof facts?.part === 'number') {
    lines.push(
      `One layer at a time: all ${settings.layers} layers of ${ids.length.toLocaleString('en')} tokens do not fit in ` +
        'memory. Select a head to compute its layer.',
    );
  }
  if (error?.code === 'unsupported') {
    lines.push(
      'This browser does not support WebAssembly SIMD, or a security policy forbids it, ' +
        `so nothing can be computed (${error.message}).`,
    );
  } else if (error && !(error.parameter in settings)) lines.push(error.message);
  if (error && facts) lines.push('The results are those of the last valid settings.');
  if (!error && facts && !facts.finite) {
    lines.push(
      'Some results are not finite (NaN or infinity): ' +
        'with these settings the values exceed the range of 32-bit floats.',
    );
  }
  return lines.join(' ');
}

/** A weight without the name of its layer. @param {string} name */
const weightName = (name) => name.split('.').slice(-2).join('.');

const list = new Intl.ListFormat('en');
/** @param {string[]} words */
const listedPlain = (words) => list.format(words);
