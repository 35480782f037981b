// The notices above the page: what its reader has to know of the text, the settings and the run, in sentences.

import { settingNamed } from '../engine/model-settings.js';
import { changedSettings } from '../engine/plan.js';
import { entryOf } from '../models/catalogue.js';
import { MAX_TOKENS, visible } from '../engine/tokens.js';

/**
 * @param {object} page
 * @param {HTMLElement} page.element
 * @param {ReturnType<typeof import('./store.js').createStore>} page.store
 * @param {ReturnType<typeof import('../engine/session.js').createSession>} page.session
 * @param {ReturnType<typeof import('../engine/model-loader.js').createModelLoader>} page.loader
 * @param {ReturnType<typeof import('./router.js').createRouter>} page.router
 * @param {() => import('../engine/plan.js').ModelInfo | undefined} page.modelInfo
 */
export function createNotices({ element, store, session, loader, router, modelInfo }) {
  const again = /** @type {HTMLElement} */ (document.getElementById('again')); // shown where the module trapped
  again.addEventListener('click', () => location.reload()); // the address has the state, and all else starts again

  function ofRun() {
    const { model, settings } = store.get();
    const info = modelInfo();
    return noticeOf({
      plan: session.plan(),
      model,
      modelInfo: info,
      changed: info ? changedSettings(settings, info.config) : [],
      facts: session.result()?.facts,
      error: session.error(),
      busy: session.isSlow(),
    });
  }

  return {
    update() {
      const error = session.error();
      const run = loader.begun() ? ofRun() : (error?.message ?? '');
      const text = [loader.status(), router.status(), run].filter(Boolean).join(' ');
      if (element.textContent !== text) element.textContent = text; // else a screen reader would repeat it
      again.hidden = error?.code !== 'broken';
    },
  };
}

/**
 * @param {object} now
 * @param {import('../engine/plan.js').Plan} now.plan
 * @param {import('../models/catalogue.js').ModelName} now.model
 * @param {import('../engine/plan.js').ModelInfo | undefined} now.modelInfo
 * @param {string[]} now.changed switches that stand otherwise than in training
 * @param {import('../engine/protocol.js').RunFacts | undefined} now.facts of the shown result
 * @param {import('../engine/protocol.js').Problem | null} now.error
 * @param {boolean} now.busy for so long that it should be said
 * @returns {string}
 */
export function noticeOf({
  plan: { tokens, ids, targetIds, settings },
  model,
  modelInfo,
  changed,
  facts,
  error,
  busy,
}) {
  const lines = [];
  const unknown = modelInfo ? unknownWords(tokens.encoder ?? tokens.decoder) : [];
  if (unknown.length) {
    const one = unknown.length === 1;
    lines.push(
      `${listed(unknown)} ${one ? 'is' : 'are'} not in this model’s vocabulary ` +
        `(${modelInfo?.vocabulary.length} words) and left out: the numbers are those of the text ` +
        `without ${one ? 'it' : 'them'}.`,
    );
  }
  if (!ids.length || targetIds?.length === 0) lines.push('Type a sentence: there is no text yet.');
  if (tokens.encoder?.truncated || tokens.decoder?.truncated) {
    lines.push(`Only the first ${MAX_TOKENS} tokens are used; the rest of the text is left out.`);
  }
  const longest = entryOf(model)?.longest ?? Infinity;
  if (ids.length > longest)
    lines.push(`Longer than any training text of this model (${longest} tokens): its predictions may be unreliable.`);
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
  if (busy) lines.push('Computing…');
  return lines.join(' ');
}

/** A weight without the name of its layer. @param {string} name */
const weightName = (name) => name.split('.').slice(-2).join('.');

/** @param {import('../engine/plan.js').Tokens | null} tokens */
function unknownWords(tokens) {
  const { words, ids } = tokens?.shown ?? { words: [], ids: [] };
  return [...new Set(words.filter((_, i) => ids[i] === null).map((word) => `“${visible(word)}”`))];
}

const MOST_LISTED = 6;

/** @param {string[]} words */
const listed = (words) =>
  words.length > MOST_LISTED
    ? `${words.slice(0, MOST_LISTED).join(', ')} and ${words.length - MOST_LISTED} more`
    : listedPlain(words);

const list = new Intl.ListFormat('en');
/** @param {string[]} words */
const listedPlain = (words) => list.format(words);
