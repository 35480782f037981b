// A page of the textbook: its text with the numbers of the present result, its task, and its pointer.

import { modelOf, stateOf } from './link-state.js';
import { factsOf, tried } from './facts.js';
import { createPointer } from './pointer.js';
import { writeProgress } from './progress.js';
import { areThere, sentenceOf, valuesOf } from './sentences.js';
import { pageContent } from './page-view.js';

/**
 * @param {HTMLElement} root
 * @param {import('../index.js').Tools} tools
 * @param {import('./progress.js').Progress} progress
 * @returns {import('./lessons.js').Player}
 */
export function createPage(root, tools, progress) {
  /** @type {import('./pages.js').Page} */
  let now;
  let isNew = false; // the page was turned, and its numbers have not been shown yet
  let isBegun = false; // it has set its state
  /** The page's numbers as last shown: they stay when the reader's change is no longer what they speak of. */
  let values = /** @type {import('./sentences.js').Values | null} */ (null);
  /** @type {import('./page-view.js').PageData} */
  let data;
  const pointer = createPointer(root);
  const where = () => pointer.showControl(now);

  /** What is seen with the task done stays. @param {import('./facts.js').Facts} facts */
  function keepSeen(facts) {
    const seen = tried(() => now.done(facts)) ? valuesOf(now.seen.numbers, facts) : null;
    if (!seen || !areThere(now.seen.numbers, seen)) return;
    if (JSON.stringify(seen) === JSON.stringify(progress.done.get(now.id))) return;
    progress.done.set(now.id, seen);
    writeProgress(progress);
  }

  return {
    open(page) {
      now = page;
      isNew = true;
      isBegun = false;
      values = null;
    },
    begin: () => void (isBegun = true),
    close: pointer.clear,
    moved: () => void (isNew = true),
    draw(context, story) {
      const isHere = context !== null && (context.result.plan.model ?? 'untrained') === modelOf(now);
      const facts = isHere || (context && now.elsewhere) ? factsOf(/** @type {any} */ (context)) : null;
      if (facts && tried(() => now.holds?.(facts) ?? true)) values = valuesOf(now.numbers, facts);
      if (facts) keepSeen(facts);
      const seen = progress.done.get(now.id);
      // opened by a link to a state that they do not speak of
      const isBare = !values && facts && !isBegun;
      data = {
        text: now.text
          .filter((sentence) => !isBare || !sentence.includes('{'))
          .map((sentence) => sentenceOf(sentence, values ?? {})),
        task: now.task.text,
        done: progress.done.has(now.id),
        seen: seen && areThere(now.seen.numbers, seen) ? sentenceOf(now.seen.text, seen) : [],
        isOwn: isHere ? !isBare && context.state.text === stateOf(now, tools.modelInfo()).text : !values,
        doubt: now.doubt,
      };
      if (!facts) return pointer.clear();
      if (pointer.point(now, { story, isNew })) isNew = false;
      // What comes late is drawn after this.
      else if (now.target.startsWith('#')) tools.viewShown(now.target.slice(1)).then(() => tools.set({}));
    },
    content: () => pageContent(data, where),
  };
}
