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
      `${listed(unknown)} ${one ? 'is' : 'are'} not among the ${modelInfo?.vocabulary.length} words that this model ` +
        `knows. It cannot read ${one ? 'it, so it is' : 'them, so they are'} left out: the numbers are those of the ` +
        `text without ${one ? 'it' : 'them'}.`,
    );
  }
  if (!ids.length || targetIds?.length === 0) lines.push('There is nothing to compute yet: type a word or two.');
  if (tokens.encoder?.truncated || tokens.decoder?.truncated) {
    lines.push(`Only the first ${MAX_TOKENS} tokens are used; the rest of the text is left out.`);
  }
  const longest = entryOf(model)?.longest ?? Infinity;
  if (ids.length > longest)
    lines.push(
      `Longer than any sentence that the model was trained on (${longest} words), so do not trust its answers.`,
    );
  if (changed.length) {
    lines.push(
      `The model was not trained this way (${listedPlain(changed.map((name) => settingNamed(name).label))}): ` +
        'the same weights run with other switches.',
    );
  }
  if (facts?.absent.length) {
    lines.push(
      `Its file has no ${listedPlain(facts.absent.slice(0, 2).map(weightName))} for that, ` +
        'so fresh initial values stand there.',
    );
  }
  if (error?.code === 'unsupported') {
    lines.push(
      'This browser has no WebAssembly SIMD, or a policy of the page is against it, ' +
        `so nothing can be computed (${error.message}).`,
    );
  } else if (error && !(error.parameter in settings)) lines.push(error.message);
  if (error && facts) lines.push('The results show the last settings that worked.');
  if (!error && facts && !facts.finite) {
    lines.push(
      'Some results are not numbers any more (NaN or infinity): ' +
        'with these settings the values grow beyond what 32-bit floats hold.',
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
