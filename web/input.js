// What stands above the pictures for the model that is shown: its text, menus, buttons and story.

import { LABELS, entryOf } from './catalogue.js';
import { PATTERNS, compose } from './sentences.js';

const patterns = Object.fromEntries(Object.entries(PATTERNS).map(([name, { label }]) => [name, label]));

/**
 * @param {object} now
 * @param {(id: string) => HTMLElement} now.at
 * @param {ReturnType<typeof import('./desk.js').createViews>} now.views
 * @param {import('./state.js').State} now.state
 * @param {import('./plan.js').Description | undefined} now.description of the trained model
 */
export function showInput({ at, views, state, description }) {
  const { model, settings, text, menu, writing, written } = state;
  const entry = entryOf(model);
  const two = !entry && settings.kind === 'encoder-decoder';
  at('text-field').hidden = entry?.input === 'menus';
  at('target-field').hidden = !two;
  at('text-label').textContent = entry?.input === 'prompt' ? 'Beginning of the story' : two ? 'Source sentence' : 'Sentence';
  at('untrained').hidden = Boolean(entry);
  at('about').hidden = !entry;
  at('about-name').textContent = LABELS[model].label;
  at('about-text').textContent = entry?.about ?? '';
  at('why').textContent = entry?.why ?? '';
  views.examples.update(entry && entry.input !== 'menus' ? { texts: entry.examples, selected: text } : null);
  views.menus.update(entry?.input === 'menus' ? { patterns, pattern: menu.pattern, parts: compose(menu).parts } : null);
  views.writer.update(entry?.input === 'prompt' && description
    ? { writing, vocabulary: description.vocabulary.length, written: written.length } : null);
  if (entry?.input !== 'menus') views.translation.update(null);
}
