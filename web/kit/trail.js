// A trail: states of Explore with a sentence each, as one word of a link. Each state is kept as the link that shows it,
// and is read as any link is; deflate writes the common parts of the steps once.

/**
 * The model's answer at a step. `words`: the likeliest, at or after `word`.
 * @typedef {{words: string[], share: number, word: string, isNext: boolean}} Answer
 *
 * The question at a step. `at`: the word that a question of the page's own asks about; `right`: null where the model
 * does not decide it.
 * @typedef {{text: string, at: string, choices: string[], right: string | null}} Asked
 *
 * A question that is asked before a step's answer is shown; `right`: of the answers, null: the likeliest word of the
 * model decides.
 * @typedef {{question: string, answers: string[], right: number | null}} Question
 *
 * `link`: the part behind the '?' of the link that shows the state; `question`: null asks for the model's word.
 * @typedef {{sentence: string, link: string, question: Question | null}} Step
 */

export const FEWEST_STEPS = 3;
export const MOST_STEPS = 7;
const LONGEST_SENTENCE = 200;
const LONGEST_ANSWER = 60;
const FEWEST_ANSWERS = 2;
const MOST_ANSWERS = 4;
/** Of a trail in a link, in characters: more is cut by many programs that carry links. */
export const LONGEST_TRAIL = 8000;
const CHOICES = 4; // of the model's words
const MOST_BYTES = 2 ** 20; // that a trail may unfold to

const DAMAGED = 'This trail is damaged: its link was cut or changed. Ask for the whole link.';

/** Parts of a link that belong to the page around a state. */
const AROUND = ['trail', 'step', 'embed', 'book'];

/** The link of a state without what stands around it. @param {string} link what stands behind the '?' */
export function stateLink(link) {
  const parts = new URLSearchParams(link);
  for (const name of AROUND) parts.delete(name);
  return String(parts);
}

/** @param {unknown} value @param {number} longest @returns {value is string} */
const isText = (value, longest) => typeof value === 'string' && value.trim() !== '' && value.length <= longest;

/** @param {unknown} answers @returns {answers is string[]} */
const areAnswers = (answers) =>
  Array.isArray(answers) &&
  answers.length >= FEWEST_ANSWERS &&
  answers.length <= MOST_ANSWERS &&
  answers.every((each) => isText(each, LONGEST_ANSWER)) &&
  new Set(answers).size === answers.length;

/** A step as it is written. @param {Step} step */
const rowOf = ({ sentence, link, question: asked }) => [
  sentence,
  Object.fromEntries(new URLSearchParams(link)),
  ...(asked ? [asked.question, asked.answers, asked.right ?? -1] : []),
];

/**
 * A step of what was written; null: it is none.
 * @param {unknown} row
 * @returns {Step | null}
 */
function stepOf(row) {
  if (!Array.isArray(row) || (row.length !== 2 && row.length !== 5)) return null;
  const [sentence, parts, question, answers, right] = row;
  if (!isText(sentence, LONGEST_SENTENCE) || typeof parts !== 'object' || parts === null) return null;
  if (!Object.values(parts).every((value) => typeof value === 'string')) return null;
  const step = { sentence, link: stateLink(String(new URLSearchParams(parts))), question: null };
  if (row.length === 2) return step;
  if (!isText(question, LONGEST_SENTENCE) || !areAnswers(answers)) return null;
  if (!Number.isInteger(right) || right < -1 || right >= answers.length) return null;
  return { ...step, question: { question, answers, right: right < 0 ? null : right } };
}

/**
 * @param {readonly Step[]} steps
 * @returns {Promise<string>} letters, digits, - and _
 */
export async function writeTrail(steps) {
  const json = new Blob([JSON.stringify(steps.map(rowOf))]);
  const stream = json.stream().pipeThrough(new CompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return letters.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * @param {string} text
 * @returns {Promise<Step[]>}
 * @throws {Error} that says to the reader what is wrong
 */
export async function readTrail(text) {
  const rows = await rowsOf(text).catch(() => null);
  if (!Array.isArray(rows)) throw new Error(DAMAGED);
  if (rows.length < FEWEST_STEPS || rows.length > MOST_STEPS)
    throw new Error(`This trail has ${rows.length} steps; a trail has ${FEWEST_STEPS} to ${MOST_STEPS}.`);
  const steps = rows.flatMap((row) => stepOf(row) ?? []);
  if (steps.length < rows.length) throw new Error(DAMAGED);
  return steps;
}

/** @param {string} text @returns {Promise<unknown>} */
async function rowsOf(text) {
  if (text.length > LONGEST_TRAIL) return null;
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let json = '';
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return JSON.parse(json + decoder.decode());
    size += value.length;
    if (size > MOST_BYTES) {
      await reader.cancel();
      return null;
    }
    json += decoder.decode(value, { stream: true });
  }
}

/** @param {Question | null} own @param {Answer | null} now @returns {Asked | null} */
export function questionOf(own, now) {
  if (own) {
    const { question: text, answers: choices, right } = own;
    const likeliest = now?.words.find((word) => choices.includes(word)) ?? null;
    return { text, at: '', choices, right: right === null ? likeliest : choices[right] };
  }
  if (!now) return null;
  const choices = now.words.slice(0, CHOICES).toSorted((one, two) => one.localeCompare(two));
  return { text: `What will the model say ${now.isNext ? 'after' : 'at'}`, at: now.word, choices, right: now.words[0] };
}

/**
 * A trail as its teacher writes it: for each step a link, a sentence and, where the page is not to ask for the model's
 * word, a question with its answers, the right one first.
 * @param {string} text
 * @returns {{steps: Step[], problem: string}} `problem`: the reason why the list is no trail, '': none
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
