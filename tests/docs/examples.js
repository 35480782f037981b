// The examples of the reference, as the emitted types have them: who has one, and its lines as checks.
//
// In an example a line `EXPRESSION; // → VALUE` says what the expression is: numbers to the digits that are written,
// `// throws CODE` with which code it is refused. Examples of Engine have an engine `gf`, those of Model a `model` too,
// those of Trainer a `trainer`; src/docs/intro.md says so.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '../../src/tools/types/parse.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

export const ENGINE = "import { load } from 'glassformer';\nconst gf = await load({ variant: 'simd' });\n";
const MODEL = `${ENGINE}const model = gf.createModel({
  kind: 'decoder', vocabulary: 10, d_model: 8, heads: 2, d_ff: 16, layers: 1, head: 'tied', seed: 1,
});\n`;
const TOKENIZER =
  "import { loadTokenizer } from 'glassformer/tokenizers';\n" +
  "const vocab = { '[UNK]': 0, jump: 1, '##ing': 2, dog: 3 };\n" +
  "const model = { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', vocab };\n" +
  "const pre_tokenizer = { type: 'BertPreTokenizer' };\n" +
  "const decoder = { type: 'WordPiece', prefix: '##', cleanup: true };\n" +
  'const tokenizer = await loadTokenizer({ model, pre_tokenizer, decoder });\n';
/** @type {Record<string, string>} */
export const BEFORE = {
  Engine: ENGINE,
  Model: MODEL,
  Trace: MODEL,
  Trainer: `${MODEL}const trainer = model.trainer({ learningRate: 0.01 });\n`,
  Random: "import { Random } from 'glassformer/tasks';\n",
  SafetensorsFile:
    "import { writeSafetensors } from 'glassformer';\nimport { openSafetensors } from 'glassformer/checkpoints';\n" +
    'const file = await openSafetensors(writeSafetensors({ weight: [[1, 2], [3, 4]] }));\n',
  Features:
    MODEL.replace('d_model: 8, heads: 2', "norm: 'pre', d_model: 2, heads: 1") +
    "import { writeSafetensors } from 'glassformer';\n" +
    "import { loadFeatures, trainFeatures } from 'glassformer/features';\n" +
    "const metadata = { hook_name: 'blocks.0.hook_resid_post' };\n" +
    "const config = { architecture: 'topk', k: 1, d_in: 2, d_sae: 3, metadata };\n" +
    'const tensors = { W_enc: [[1, 0, -1], [0, 1, -1]], W_dec: [[1, 0], [0, 1], [-1, -1]], b_enc: [0, 0, 0] };\n' +
    'const weights = writeSafetensors({ ...tensors, b_dec: [0, 0] });\n' +
    'const features = await loadFeatures({ config, weights }, { model });\n' +
    'const ids = Array.from({ length: 40 }, (_, i) => [i % 7, (3 * i) % 9, i % 4, 5]);\n' +
    'const trained = await trainFeatures(model, { at: features.at, ids, features: 6, active: 2, steps: 50 });\n',
  Tokenizer: TOKENIZER,
  BaseTokenizer: TOKENIZER,
  Vocabulary:
    "import { Vocabulary } from 'glassformer/tasks';\n" +
    "const vocabulary = new Vocabulary(['[PAD]', 'the', 'creek', '.']);\n",
};

/**
 * @typedef {object} Documented
 * @property {string} name
 * @property {string} owner class, or ''
 * @property {string} comment
 */

/** A method or a getter of a class, behind its comment. */
const MEMBER =
  /((?:^ {4}\/\*\*(?:(?!\*\/)[^])*\*\/\n)?)^ {4}(?!private|static|set )(get \w+(?=\()|[\w[\].]+(?=[<(]))/gm;

/** Lists the names that a user can call in a .d.ts file. @param {string} text @returns {Documented[]} */
export function documented(text) {
  return parse(text).flatMap(({ comment, text: statement, names }) => {
    if (/^export declare function/.test(statement)) return [{ name: names[0], owner: '', comment }];
    if (!/^export declare class/.test(statement)) return [];
    const members = [...statement.matchAll(MEMBER)];
    return [
      { name: names[0], owner: names[0], comment },
      ...members
        .filter(
          ([, , name]) =>
            name !== 'constructor' &&
            !name.startsWith('[') &&
            !/^(dis)?connectedCallback$|^attributeChanged/.test(name),
        )
        .map(([, words, name]) => ({ name, owner: names[0], comment: words })),
    ];
  });
}

/** The examples in a comment. @param {string} comment */
export const examplesIn = (comment) =>
  comment
    .replace(/^[ \t]*(\/\*\*|\*\/|\*(?!\/)) ?/gm, '')
    .replace(/\*\/\s*$/, '')
    .split(/^@/m)
    .filter((tag) => tag.startsWith('example'))
    .map((tag) => tag.slice('example'.length).trim());

/** All .d.ts files of an entry. @param {string} path */
function filesOf(path) {
  const seen = new Set([path]);
  for (const one of seen) {
    const text = readFileSync(join(root, one), 'utf8');
    for (const [, from] of text.matchAll(/(?:from |import\()'(\.[^']*)'/g))
      seen.add(posix.join(posix.dirname(one), from.replace(/\.js$/, '.d.ts')));
  }
  return [...seen];
}

export const entries = Object.entries(exports)
  .filter(([, target]) => target.types && !target.default?.endsWith('.wasm'))
  .map(([name, { types: path }]) => ({ name: posix.join('glassformer', name), path: posix.normalize(path) }));
const files = [...new Set(entries.flatMap(({ path }) => filesOf(path)))];
export const all = files.flatMap((path) =>
  documented(readFileSync(join(root, path), 'utf8')).map((one) => ({
    ...one,
    path: posix.relative('dist/types', path),
  })),
);

/** Whether an example needs a page: those of the element. @param {{path: string}} documented */
export const needsPage = ({ path }) => /^web\/(elements|draw)\//.test(path);

/** Lines that say what they give or print, as checks. @param {string} code */
export function checked(code) {
  const printed = code.replace(
    /^console\.log\((.*)\); \/\/ (.*)$/gm,
    (_, values, said) => `console.log(...$prints([${values}], ${JSON.stringify(said)}));`,
  );
  return printed.replace(
    /^(?:(const|let) (\w+) = )?(.*?);? *\/\/ (→|throws) (.*)$/gm,
    (_, kind, name, expression, sign, said) => {
      const value = JSON.stringify(said);
      if (sign === 'throws') return `await $throws(async () => { ${expression} }, ${value});`;
      return `${kind ? `${kind} ${name} = ${expression}; ` : ''}$is(${name ?? `await (${expression})`}, ${value});`;
    },
  );
}

/**
 * The code between fences on a page. `js` is a program, `html` a part of a page that runs, `sh` are commands; code that
 * needs a reader's own project has `fragment` behind its language.
 * @param {string} text
 */
export const blocksOf = (text) =>
  [...text.matchAll(/^```(.+)\n([^]*?)^```$/gm)].map(([, info, code]) => ({ info, code }));

/** The programs of a page. @param {string} text */
export const programsOf = (text) => blocksOf(text).flatMap(({ info, code }) => (info === 'js' ? [code] : []));
