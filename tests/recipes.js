// The recipes of CONTRIBUTING.md, followed: by their titles the smallest example of each. An edit replaces a text that
// stands once in a file ($& is that text), or makes one. `checks` are test files, `native` programs of the C's tests.
import { readFileSync, readdirSync } from 'node:fs';

/** @typedef {[path: string, text: string] | [path: string, anchor: string | RegExp, text: string]} Edit */
/** @typedef {{edits: Edit[], checks: string[], native?: string[], commands?: string[][]}} Followed */

const read = (/** @type {string} */ path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
/** Lines of a list's item, which begins with a text. @param {string} path @param {string} beginning */
function part(path, beginning) {
  const text = read(path);
  const start = text.indexOf(`  ${beginning}`);
  return text.slice(start, text.indexOf('\n  },\n', start) + 6);
}
/** The next free number of a claim: each has a file beside index.js. */
const NEXT = String(
  readdirSync(new URL('../src/claims', import.meta.url)).filter((name) => name.endsWith('.js')).length,
);
/** @type {Edit} */
const NEWS = ['CHANGELOG.md', '**Added**\n\n', '$&- Something new.\n'];

/** @type {Record<string, Followed>} */
export const RECIPES = {
  'An activation': {
    edits: [
      ['src/kernel/activation.h', /.*ACTIVATION_TOP_K,.*\n/, '$&    ACTIVATION_HALF,      /* x / 2 */\n'],
      [
        'src/kernel/activation.c',
        '/* Two at once share',
        'SIMD_INLINE v4 half(v4 x) { return v4_mul(x, v4_splat(.5f)); }\n\n$&',
      ],
      [
        'src/kernel/activation.c',
        'EACH(silu);\n',
        '$&        break;\n    case ACTIVATION_HALF:\n        EACH(half);\n',
      ],
      [
        'src/kernel/activation.c',
        '#define EACH_SLOPE',
        'SIMD_INLINE v4 half_slope(v4 x) { return v4_mul(v4_splat(.5f), v4_add(v4_splat(1), v4_sub(x, x))); }\n\n$&',
      ],
      [
        'src/kernel/activation.c',
        'EACH_SLOPE(silu_slope);\n',
        '$&        break;\n    case ACTIVATION_HALF:\n        EACH_SLOPE(half_slope);\n',
      ],
      ['src/model/config.h', 'none|silu|top-k', '$&|half'],
      ['src/model/config.h', 'SiLU|Top-k', '$&|Half'],
      ['web/train/settings/settings.js', "silu: 'SiLU',", "$&\n        half: 'Half',"],
      [
        'src/js/engine/known.js',
        '/**\n * The first setting of a model that an edition lacks',
        '/** With half. @type {Edition} */\n' +
          'export const EDITION_6 = { ...EDITION_5, choices: { ...EDITION_5.choices, activation: 7 } };\n\n$&',
      ],
      ['tests/js/unknown-setting.test.js', 'EDITION_5 as NEWEST', 'EDITION_6 as NEWEST'],
      NEWS,
    ],
    native: ['kernel/activation', 'kernel/activation_backward'],
    checks: ['tests/js/settings.test.js', 'tests/js/unknown-setting.test.js', 'tests/web/train/run.test.js'],
  },
  'An operation': {
    edits: [
      ['src/kernel/row.h', 'void row_norm(', 'void row_sum(float *y, const float *x, size_t R, size_t C);\n$&'],
      [
        'src/kernel/row.c',
        'void row_norm(',
        `void row_sum(float *y, const float *x, size_t R, size_t C) {
    for (size_t r = 0; r < R; r++) {
        double sum = 0;
        for (size_t c = 0; c < C; c++) {
            sum += x[r * C + c];
        }
        y[r] = (float)sum;
    }
}

$&`,
      ],
      [
        'src/wasm/api.h',
        'int32_t gf_row_norm(',
        'int32_t gf_row_sum(float *y, const float *x, size_t R, size_t C);\n$&',
      ],
      [
        'src/wasm/arrays.c',
        'int32_t gf_row_norm(',
        `int32_t gf_row_sum(float *y, const float *x, size_t R, size_t C) {
    row_sum(y, x, R, C);
    return 0;
}

$&`,
      ],
      ['src/wasm/exports.txt', '_gf_row_norm\n', '$&_gf_row_sum\n'],
      ['src/js/engine/ops.js', 'export const vectorNorm =', "export const vectorSum = ofRows('gf_row_sum', true);\n$&"],
      [
        'src/js/engine/engine.js',
        '  /**\n   * Euclidean norms of rows',
        `  /**
   * Sums of rows, added in double.
   * @param {Floats} x [...,C]
   * @returns {FloatTensor} [...]
   * @category Operations
   * @example
   * gf.vectorSum([[3, 4], [0, 2]]).data; // → [7, 2]
   */
  vectorSum(x) {
    return ops.vectorSum(Engine.#of(this), x);
  }

$&`,
      ],
      ['src/docs/guides/tensors.md', '`vectorNorm`', '`vectorSum`, $&'],
      [
        'tests/kernel/row.c',
        '    float *copy = memcpy(hold(R * C * sizeof *a), a',
        '    row_sum(random_floats(R, 1), a, R, C);\n$&',
      ],
      [
        'tests/js/ops.test.js',
        "each('dot, vectorNorm'",
        "each('vectorSum', (gf) => same(gf.vectorSum([[3, 4]]), { data: Float32Array.of(7), shape: [1] }));\n\n$&",
      ],
      ['tests/methods.js', '    vectorNorm: { x: X },\n', '$&    vectorSum: { x: X },\n'],
      ['tests/fuzz/api/arrays.js', '  vectorNorm: (d)', '  vectorSum: (d) => ({ x: d.tensor(axes(d)) }),\n$&'],
      NEWS,
    ],
    native: ['kernel/row'],
    commands: [['node', '--test', '--test-name-pattern=each operation is drawn', 'tests/fuzz/api.test.js']],
    checks: [
      ...['errors', 'hostile', 'interface', 'names', 'ops'].map((name) => `tests/js/${name}.test.js`),
      ...['tests/docs/examples.test.js', 'tests/docs/names.test.js', 'tests/size.test.js'],
    ],
  },
  'A task': {
    edits: [
      ['src/tasks/echo.js', read('src/tasks/copy.js').replaceAll('makeCopy', 'makeEcho').replace(/copy/g, 'echo')],
      ['src/tasks/index.js', 'import { facts }', "import { echo } from './echo.js';\n$&"],
      ['src/tasks/index.js', 'export { makeFacts }', "export { makeEcho } from './echo.js';\n$&"],
      ['src/tasks/index.js', '  creek,\n  facts,\n', '  creek,\n  echo,\n  facts,\n'],
      ['src/tasks/index.js', "  'next-digit': nextDigit,\n", '$&  echo,\n'],
      ['tests/tasks/index.test.js', "  'next-digit':", "  echo: 'dbf8870131d4af00',\n$&"],
      NEWS,
    ],
    checks: ['tests/tasks/index.test.js'],
  },
  'A claim': {
    edits: [
      [
        'src/claims/sum-of-heads.js',
        read('src/claims/concatenation.js')
          .replace('number: 15', `number: ${NEXT}`)
          .replace("name: 'Concatenation and output projection'", "name: 'Sum of heads'")
          .replace(/\/\*\* @type \{import\('\.\/shared\/explore\.js'\)[^]*?\n\};\n\n/, '')
          .replace(/import \{[^\n]*(explore|layer)\.js';\n/g, ''),
      ],
      ['src/claims/index.js', 'import * as superposition', "import * as sumOfHeads from './sum-of-heads.js';\n$&"],
      ['src/claims/index.js', 'headSpecialisation, superposition', 'headSpecialisation, sumOfHeads, superposition'],
      ['tests/claims/check.js', '31, 37].map', `31, 37, ${NEXT}].map`],
      [
        'tests/claims/verdicts.test.js',
        '  16: {',
        `${part('tests/claims/verdicts.test.js', '15: {').replace('15', NEXT)}$&`,
      ],
      NEWS,
    ],
    commands: [['node', 'src/claims/sweep.mjs', NEXT]],
    checks: [
      `--test-name-pattern=(^${NEXT}[.]|[Ee](ach|very) (claim|file)|published)`,
      ...['frame', 'outcomes', 'quick', 'shown', 'turns', 'verdicts'].map((name) => `tests/claims/${name}.test.js`),
    ],
  },
  'A feature of the page': {
    edits: [
      [
        'web/explore/features/token-count.js',
        `// The number of tokens of the text.

import { html } from 'lit-html';

/** @type {import('../index.js').Feature} */
export const tokenCount = {
  name: 'token-count',
  render: ({ result }) => {
    const { encoder, decoder } = result.plan.tokens;
    return html\`<p id="token-count">\${(encoder ?? decoder)?.ids.length} tokens</p>\`;
  },
};
`,
      ],
      [
        'web/explore/index.js',
        '  // The views of the nodes other than attention',
        `  {
    name: 'token-count',
    slot: 'main',
    load: async () => (await import('./features/token-count.js')).tokenCount,
  },
$&`,
      ],
      [
        'tests/web/explore/features/token-count.test.js',
        `// The number of tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';
import { tokenCount } from '../../../../web/explore/features/token-count.js';

test('the tokens of the text are counted', async () => {
  const page = await open(tokenCount, 'model=creek&text=the+dog+was+cold+.');
  assert.match(page.text(), /5 tokens/);
});
`,
      ],
    ],
    checks: ['tests/web/explore/features/token-count.test.js', 'tests/web/explore/features/list.test.js'],
  },
  'A puzzle': {
    edits: [
      [
        'web/lessons/puzzles.js',
        '];\n\nexport const puzzles',
        `${part('web/lessons/puzzles.js', "{\n    id: 'dog',").replace("'dog'", "'hound'")}$&`,
      ],
      [
        'tests/web/lessons/lessons.test.js',
        /};\n\n.*\nconst infoOf/,
        '  get hound() {\n    return KNOWN.dog;\n  },\n$&',
      ],
      ['README.md', '17 puzzles', '18 puzzles'],
      NEWS,
    ],
    checks: [
      '--test-name-pattern=(are data|puzzle hound|README|count)',
      'tests/web/lessons/lessons.test.js',
      'tests/readme.test.js',
    ],
  },
  'A family of checkpoints': {
    edits: [
      [
        'src/js/files/families/camel.js',
        `import { roberta } from './roberta.js';

/**
 * A RoBERTa by another name.
 * @type {import('./read.js').Family}
 */
export const camel = { ...roberta, prefix: 'camel.', classes: ['CamelModel'] };
`,
      ],
      ['src/js/files/families/index.js', 'import { distilbert }', "import { camel } from './camel.js';\n$&"],
      ['src/js/files/families/index.js', "'bert' | 'distilbert'", "'bert' | 'camel' | 'distilbert'"],
      ['src/js/files/families/index.js', 'FAMILIES = { bert, ', '$&camel, '],
      ['src/docs/guides/checkpoints.md', '`bert`, ', '$&`camel`, '],
      [
        'README.md',
        'BERT, DistilBERT, RoBERTa, ELECTRA, MPNet, GPT-2, GPT-Neo, OPT;',
        'BERT, DistilBERT, RoBERTa, Camel, ELECTRA, MPNet, GPT-2, GPT-Neo, OPT;',
      ],
      [
        'tests/js/twin-families.test.js',
        "test('a RoBERTa is a BERT whose",
        `test('a Camel is a RoBERTa by another name', async () => {
  const { config, tensors } = asRoberta(1);
  const renamed = new Map([...tensors].map(([name, tensor]) => [name.replace(/^roberta/, 'camel'), tensor]));
  const { numbers, family } = await run({ ...config, model_type: 'camel' }, renamed);
  assert.deepEqual([family, numbers], ['camel', (await run(config, tensors)).numbers]);
});

$&`,
      ],
      NEWS,
    ],
    checks: [
      'tests/js/twin-families.test.js',
      'tests/js/families.test.js',
      'tests/js/save-checkpoint.test.js',
      'tests/web/app/own-json.test.js',
    ],
  },
};
