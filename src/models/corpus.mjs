// node src/models/corpus.mjs [FOLDER [AUSTEN.TXT]]
//
// Writes NAME.corpus.json for each shipped model, beside it or into FOLDER: sentences of its own grammar, none of them
// trained on, as the words that it reads, by length, so that the page can take them in batches. It runs the model over
// them to tell what excites a neuron. The seed is that of the model's training data: always the same files come out.
// With the six novels as austen/train.mjs reads them it writes austen.corpus.json: sentences of the held-out chapters.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chaptersOf } from './austen/text.mjs';
import { MODELS, pathOf, readModel } from './measure.mjs';

const SAMPLE = 7; // scores are measured on 0 and 1

/**
 * The sentences that each model reads, and beside each source the target as the decoder gets it.
 * @type {Record<import('./measure.mjs').Name, (task: any, seed: number) => {sentences: string[], targets?: string[]}>}
 */
const LINES = {
  creek(task, seed) {
    const { sentences } = task.heldOut(seed, { sample: SAMPLE, limit: 1 });
    const words = sentences
      .slice(0, 240)
      .map((/** @type {any} */ { tokens }) => tokens.map((/** @type {any} */ { word }) => word));
    return { sentences: byLength(words).map((list) => list.join(' ')) };
  },
  translate(task, seed) {
    const pairs = byLength(
      task.heldOut(seed, { sample: SAMPLE, count: 160 }),
      ({ source, target }) => 100 * source.length + target.length,
    );
    return {
      sentences: pairs.map(({ source }) => source.join(' ')),
      targets: pairs.map(({ target }) => ['[BOS]', ...target].join(' ')),
    };
  },
  continue(task, seed) {
    const sentences = task
      .heldOut(seed, { sample: SAMPLE })
      .flatMap((/** @type {any} */ { batch: { ids, padding } }) => {
        const [rows, width] = ids.shape;
        return Array.from({ length: rows }, (_, row) =>
          [...ids.data.subarray(row * width, (row + 1) * width)]
            .filter((__, at) => !padding.data[row * width + at])
            .map((id) => task.vocabulary.words[id]),
        );
      });
    return { sentences: byLength(sentences.slice(0, 96)).map((list) => list.join(' ')) };
  },
};

/**
 * @template {any} T
 * @param {T[]} list
 * @param {(one: any) => number} [length]
 */
function byLength(list, length = (one) => one.length) {
  return [...list].sort((a, b) => length(a) - length(b));
}

const NOVELS = 320; // sentences
const SHORTEST = 30; // characters
const LONGEST = 120;

/** Whole sentences of the held-out chapters, evenly spread over them. @param {string} text */
function sentencesOf(text) {
  const cut = new Intl.Segmenter('en', { granularity: 'sentence' });
  const all = chaptersOf(text)
    .heldOut.flatMap((chapter) => chapter.split('\n'))
    .flatMap((paragraph) => Array.from(cut.segment(paragraph), ({ segment }) => segment.trim()))
    .filter((each) => each.length >= SHORTEST && each.length <= LONGEST)
    .filter((each) => /^["A-Z].*[a-z][.!?]"?$/.test(each) && !/\b(Mr|Mrs|Dr|St|Esq)\.$/.test(each))
    .filter((each) => (each.match(/"/g) ?? []).length % 2 === 0);
  return all.filter((_, i) => Math.floor((i * NOVELS) / all.length) !== Math.floor(((i - 1) * NOVELS) / all.length));
}

const [folder, novels] = process.argv.slice(2);
if (novels) {
  const sentences = sentencesOf(readFileSync(novels, 'utf8'));
  const from = 'the chapters of Jane Austen’s six novels that austen did not learn from';
  const path = join(folder, 'austen.corpus.json');
  writeFileSync(path, `${JSON.stringify({ from, sentences }, null, 1)}\n`);
  console.log(`austen: ${sentences.length} sentences`);
}

for (const name of /** @type {import('./measure.mjs').Name[]} */ (Object.keys(MODELS))) {
  const { recipe } = readModel(name);
  const lines = LINES[name](MODELS[name].task, recipe.dataSeed);
  const path = join(folder ?? dirname(pathOf(name)), `${name}.corpus.json`);
  writeFileSync(
    path,
    `${JSON.stringify({ task: recipe.task, seed: recipe.dataSeed, sample: SAMPLE, ...lines }, null, 1)}\n`,
  );
  console.log(`${name}: ${lines.sentences.length} sentences`);
}
