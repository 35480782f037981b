// The rules of .dependency-cruiser.cjs bite, each of them, and let pass what they should: a small tree with both is
// cruised once. tests/rooms.test.js holds the real tree to them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.cjs';

/** What each file imports that it may. @type {Record<string, string[]>} */
const GOOD = {
  'src/js/index.js': ['./engine/model.js', '../simd.wasm.js', '../simd.wasm'],
  'src/js/errors.js': [],
  'src/js/worker/b.js': [],
  'src/js/files/json.js': [],
  'src/js/node.js': ['./engine/model.js', 'node:fs'],
  'src/tools/build.mjs': ['node:fs', 'esbuild'],
  'src/js/engine/model.js': ['../arrays/tensor.js', '../files/json.js', '../errors.js'],
  'src/js/arrays/tensor.js': ['../errors.js'],
  'src/tasks/index.js': ['./toy.js'],
  'src/tasks/toy.js': ['../js/errors.js'],
  'web/draw/map.js': ['./color.js', 'lit-html'],
  'web/draw/color.js': [],
  'web/elements/index.js': ['./table.js', '../draw/map.js', 'elements.css'],
  'web/elements/table.js': ['../../src/js/errors.js'],
  'web/export/svg.js': ['../draw/map.js', '../engine/plan.js', 'lit-html'],
  'web/explore/index.js': ['./heads/panel.js', './ffn/panel.js', './shared/fold.js'],
  'web/explore/place.js': ['./index.js', '../shared/turn.js'],
  'web/explore/late.js': ['./compare/panel.js'],
  'web/explore/compare/panel.js': ['../../draw/map.js'],
  'web/explore/derived.js': ['./ffn/derived.js'],
  'web/explore/shared/fold.js': ['../../draw/map.js'],
  'web/explore/heads/panel.js': [
    './view.js',
    '../shared/fold.js',
    '../../draw/map.js',
    '../../export/svg.js',
    '../../engine/plan.js',
    '../../models/index.js',
    '../../app/schema.js',
    'lit-html',
  ],
  'web/explore/heads/view.js': ['./grid.js', '../../draw/map.js', 'lit-html'],
  'web/explore/heads/grid.js': [],
  'web/explore/ffn/panel.js': ['./view.js'],
  'web/explore/ffn/view.js': ['../../draw/map.js'],
  'web/explore/ffn/derived.js': ['../../engine/plan.js'],
  'web/engine/plan.js': ['../models/index.js', '../../dist/generated/settings.js'],
  'web/engine/protocol.js': ['glassformer/worker'],
  'web/engine/worker.js': [
    'glassformer',
    'glassformer/tasks',
    'glassformer/worker',
    './protocol.js',
    './plan.js',
    '../explore/derived.js',
    '../shared/turn.js',
  ],
  'web/shared/turn.js': [],
  'web/shared/store.js': [],
  'src/claims/index.js': ['./scale.js'],
  'src/claims/scale.js': ['glassformer/tasks', './shared/explore.js', './shared/picture.js'],
  'src/claims/shared/explore.js': [],
  'src/claims/shared/own-model.js': ['./steps.js'],
  'src/claims/shared/picture.js': [],
  'src/claims/shared/steps.js': ['glassformer/tasks'],
  'src/claims/run.mjs': ['glassformer', './index.js', '../../web/models/command.mjs'],
  'web/models/command.mjs': ['node:util'],
  'web/train/train.js': ['./client.js', '../draw/map.js', '../export/svg.js', 'lit-html'],
  'web/train/client.js': ['glassformer/worker'],
  'web/train/settings/changes.js': [],
  'web/pytorch/download.js': ['fflate/browser', './files.js'],
  'web/pytorch/files.js': ['glassformer', 'glassformer/tasks', '../train/settings/changes.js'],
  'web/train/run/worker.js': ['glassformer', 'glassformer/worker', './run.js', '../../shared/turn.js'],
  'web/train/run/run.js': ['glassformer/tasks'],
  'web/claims/claims.js': ['./client.js', '../shared/store.js', '../draw/map.js', 'lit-html'],
  'web/claims/client.js': ['glassformer/worker'],
  'web/claims/worker.js': [
    'glassformer',
    'glassformer/worker',
    '../../src/claims/index.js',
    '../shared/turn.js',
    './related.js',
  ],
  'web/claims/related.js': ['../../src/claims/shared/own-model.js'],
  'web/app/main.js': ['../explore/place.js', '../engine/plan.js', '../draw/map.js', './schema.js'],
  'web/app/own/files.js': ['../../../src/js/files/json.js'],
  'web/app/own/tokenizer-worker.js': ['glassformer/tokenizers', 'glassformer/worker'],
  'web/app/own/tokenizer-client.js': ['glassformer/worker'],
  'web/app/carry-on.js': ['../export/svg.js'],
  'web/app/schema.js': ['../../dist/generated/settings.js'],
  'src/tools/serve.mjs': ['node:http', 'sirv'],
  'web/models/index.js': [],
  'web/models/train.mjs': ['node:fs', 'glassformer', './index.js', '../../dist/tasks/index.js'],
};

/** One import each that breaks rules, and their names. @type {[string, string, string[]][]} */
const BAD = [
  ['src/js/a.js', '../tasks/toy.js', ['src-js']],
  ['src/js/b.js', '../../web/draw/map.js', ['src-js']],
  ['src/js/c.js', 'node:fs', ['web-node']],
  ['src/js/d.js', 'lit-html', ['src-js']],
  ['src/tools/e.mjs', 'lit-html', ['src-scripts']],
  ['src/js/arrays/a.js', '../engine/model.js', ['src-js-arrays']],
  ['src/js/engine/a.js', '../worker/b.js', ['src-js-engine']],
  ['src/tasks/a.js', '../js/engine/model.js', ['src-tasks']],
  ['src/tasks/b.js', 'node:fs', ['src-tasks']],
  ['web/draw/a.js', '../engine/plan.js', ['draw']],
  ['web/draw/b.js', '../explore/shared/fold.js', ['draw']],
  ['web/draw/c.js', 'sirv', ['draw']],
  ['web/elements/a.js', 'lit-html', ['elements']],
  ['web/elements/c.js', '../../src/js/engine/model.js', ['elements', 'web-inside']],
  ['web/elements/b.js', '../explore/heads/view.js', ['elements']],
  ['web/export/a.js', '../explore/heads/view.js', ['export']],
  ['web/export/b.js', '../engine/worker.js', ['export']],
  ['web/explore/heads/a.js', '../ffn/view.js', ['feature']],
  ['web/explore/heads/b.js', '../../app/main.js', ['feature']],
  ['web/explore/heads/c.js', '../index.js', ['feature']],
  ['web/explore/heads/d.js', '../../engine/worker.js', ['feature']],
  ['web/explore/shared/a.js', '../heads/view.js', ['feature']],
  ['web/explore/a/view.js', './panel.js', ['view']],
  ['web/explore/a/panel.js', '../../engine/plan.js', []],
  ['web/explore/b/view.js', './derived.js', ['view']],
  ['web/explore/b/derived.js', '../../engine/plan.js', []],
  ['web/explore/c/view.js', '../../engine/plan.js', ['view']],
  ['web/explore/d/view.js', '../../app/schema.js', ['view']],
  ['web/explore/e/view.js', '../heads/view.js', ['feature', 'view']],
  ['web/explore/a.js', '../app/main.js', ['explore']],
  ['web/explore/heads/e.js', '../late.js', ['late']],
  ['web/explore/heads/g.js', '../../app/carry-on.js', ['carry-on']],
  ['web/app/k.js', '../explore/index.js', ['app']],
  ['web/train/a.js', '../explore/heads/view.js', ['train']],
  ['web/train/b.js', './run/run.js', ['train-worker']],
  ['web/train/c.js', 'glassformer', ['package']],
  ['web/app/l.js', '../train/train.js', ['train-late']],
  ['web/pytorch/a.js', '../train/train.js', ['pytorch']],
  ['web/pytorch/b.js', '../draw/map.js', ['pytorch']],
  ['web/train/d.js', '../pytorch/files.js', ['pytorch-late', 'pytorch-worker']],
  ['web/train/run/e.js', '../../pytorch/files.js', ['pytorch-late']],
  ['web/claims/a.js', '../train/train.js', ['claims', 'train-late']],
  ['web/claims/b.js', '../../src/claims/index.js', ['claims-worker']],
  ['web/claims/c.js', '../../src/claims/scale.js', ['claims', 'claims-worker', 'web-inside']],
  ['web/claims/f.js', './related.js', ['claims-worker']],
  ['web/claims/d.js', 'glassformer', ['package']],
  ['web/app/m.js', '../claims/claims.js', ['claims-late']],
  ['web/engine/a.js', '../app/schema.js', ['engine']],
  ['web/engine/b.js', '../explore/ffn/derived.js', ['engine']],
  ['web/engine/c.js', '../explore/index.js', ['engine']],
  ['web/engine/d.js', 'glassformer', ['package']],
  ['web/engine/g.js', 'glassformer/worker', ['package-worker']],
  ['web/app/a.js', 'glassformer', ['package']],
  ['web/app/n.js', 'glassformer/tokenizers', ['package-tokenizers']],
  ['web/app/b.js', '../explore/heads/panel.js', ['app']],
  ['web/app/c.js', '../explore/shared/fold.js', ['app']],
  ['web/app/d.js', '../../src/js/engine/model.js', ['web-inside']],
  ['web/app/e.js', '../../dist/js/index.js', ['web-inside']],
  ['web/app/f.js', 'node:fs', ['web-node']],
  ['web/app/g.js', 'leftpad', ['no-unlisted-package']],
  ['web/app/h.js', './nowhere.js', ['no-missing-file']],
  ['src/claims/a.js', '../../web/shared/turn.js', ['claim', 'src-claims']],
  ['src/claims/b.js', 'glassformer', ['claim', 'src-claims']],
  ['src/claims/norm.js', './scale.js', ['claim']],
  ['src/claims/shared/a.js', '../scale.js', ['claims-shared']],
  ['src/claims/d.mjs', '../../web/engine/plan.js', ['claim-scripts']],
  ['web/shared/a.js', '../draw/map.js', ['shared']],
  ['web/models/a.js', '../engine/plan.js', ['models']],
  ['web/models/b.mjs', '../engine/plan.js', ['model-scripts']],
  ['web/app/i.js', './j.js', ['no-cycle']],
  ['web/app/j.js', './i.js', []], // the same cycle, told once
];

const FILES = {
  'package.json': JSON.stringify({
    name: 'glassformer',
    devDependencies: { 'lit-html': '1', sirv: '1', esbuild: '1' },
  }),
  ...Object.fromEntries(
    ['lit-html', 'sirv', 'leftpad', 'esbuild'].flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' })],
      [`node_modules/${name}/index.js`, 'export {};'],
    ]),
  ),
  ...Object.fromEntries(
    ['generated/settings.js', 'js/index.js', 'tasks/index.js'].map((name) => [`dist/${name}`, 'export {};']),
  ),
  'web/app/orphan.js': 'export {};',
  ...Object.fromEntries(
    [...Object.entries(GOOD), ...BAD.map(([file, target]) => [file, [target]])].map(([file, targets]) => [
      file,
      targets.map((/** @type {string} */ target) => `import '${target}';\n`).join(''),
    ]),
  ),
  // A dynamic import and a re-export count as well; only the first may fetch what is late.
  'web/engine/e.js': "export * from '../app/schema.js';\n",
  'web/explore/heads/lazy.js': "export const late = () => import('../late.js');\n",
  'web/engine/f.js': "export const late = () => import('../app/schema.js');\n",
};
const ELSEWHERE = ['web/app/orphan.js: no-orphan', 'web/engine/e.js: engine', 'web/engine/f.js: engine'];

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
});
after(() => rmSync(folder, { recursive: true }));

test('each rule bites, and nothing else', async () => {
  const { options, ...ruleSet } = config;
  const { output } = await cruise(
    ['src', 'web'],
    { ...options, baseDir: folder, validate: true, ruleSet },
    { ...options.enhancedResolveOptions, bustTheCache: true },
  );
  const { violations } = /** @type {import('dependency-cruiser').ICruiseResult} */ (output).summary;
  assert.deepEqual(
    violations.map(({ from, rule }) => `${from}: ${rule.name}`).sort(),
    [...BAD.flatMap(([file, , rules]) => rules.map((rule) => `${file}: ${rule}`)), ...ELSEWHERE].sort(),
  );
  assert.deepEqual(
    [...new Set(violations.map(({ rule }) => rule.name))].sort(),
    config.forbidden.map(({ name }) => name).sort(),
  );
});
