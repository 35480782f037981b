// A trail as its teacher writes it: for each step a link, a sentence and, where the page is not to ask for the model's
// word, a question with its answers, the right one first.

import { MOST_STEPS, stateLink, stepOf } from '../../shared/trail.js';

/** @typedef {import('../../shared/trail.js').Step} Step */

/**
 * @param {string} text
 * @returns {{steps: Step[], problem: string}} `problem`: what keeps the list from being a trail, '': nothing
 */
export function stepsOf(text) {
  const blocks = text.split(/\n\s*\n/).filter((each) => each.trim());
  const read = blocks.map((block) => readStep(block.trim().split(/\s*\n\s*/)));
  const steps = read.flatMap((step) => step ?? []);
  const bad = read.indexOf(null) + 1;
  const needs = 'a link of this page, a sentence and, if you like, a question and 2 to 4 answers with commas';
  if (bad) return { steps, problem: `Step ${bad} needs ${needs}, each on a line.` };
  const isMany = steps.length > MOST_STEPS;
  return { steps, problem: isMany ? `A trail has at most ${MOST_STEPS} steps; this list has ${steps.length}.` : '' };
}

/** @param {string[]} lines @returns {Step | null} */
function readStep([address, sentence, question, list, ...more]) {
  const [, link] = /#\/explore\?(.*)$/.exec(address) ?? [];
  const parts = Object.fromEntries(new URLSearchParams(stateLink(link ?? '')));
  if (!/^\w+$/.test(parts.model ?? '') || more.length) return null;
  if (question === undefined) return stepOf([sentence, parts]);
  const answers = list?.split(/\s*,\s*/) ?? [];
  const sorted = answers.toSorted((one, two) => one.localeCompare(two));
  return stepOf([sentence, parts, question, sorted, sorted.indexOf(answers[0])]);
}
