// Makes the reference: node src/docs/build.mjs OUT     at the top of the source tree, after the build
//
// TypeDoc reads the emitted .d.ts files of each entry. It and the TypeScript that it needs are pinned in the
// package.json beside this file and installed on first use, apart from the project's own packages.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { install } from '../tools/install.mjs';
import { writeGallery } from './gallery.mjs';

const here = 'src/docs';
const work = 'dist/obj/docs';
const out = process.argv[2] ?? 'dist/docs';

/** The programs that the README names, each a file that a test runs. */
const PROGRAMS = 'tests/programs';

/** In the order in which the site lists them. */
const GUIDES = [
  'start',
  'generation',
  'tensors',
  'checkpoints',
  'training',
  'workers',
  'looking-inside',
  'derivatives',
  'features',
  'elements',
  'bundlers',
  'memory',
  'onnx-pytorch',
  'errors',
  'architecture',
  'benchmarks',
];

mkdirSync(work, { recursive: true });
install(here, work);
writeFileSync(join(work, 'programs.md'), programs());
execFileSync(process.execPath, ['src/tools/tensor-names.mjs', 'dist/simd.wasm', join(work, 'tensor-names.md')]);
copyFileSync(join(here, 'intro.md'), join(work, 'intro.md'));
for (const name of GUIDES) copyFileSync(join(here, 'guides', `${name}.md`), join(work, `${name}.md`));
typedoc();
moveScripts();
await writeGallery(out);

/** @returns {string} a page with the text of each program */
function programs() {
  const names = (existsSync(PROGRAMS) ? readdirSync(PROGRAMS) : []).filter((name) => /\.(mjs|jsx|svelte)$/.test(name));
  const parts = names.map((name) => {
    const [, about = '', code] = /^(?:\/\/ (.*)\n)?([^]*)$/.exec(readFileSync(join(PROGRAMS, name), 'utf8')) ?? [];
    return `## ${name}\n\n${about}\n\n\`\`\`js\n${code.trim()}\n\`\`\`\n`;
  });
  return [
    '# Programs',
    '',
    'Each runs as it is, in Node and in a page. Those about the page itself need a page, a server needs Node.',
    '',
    ...parts,
  ].join('\n');
}

function typedoc() {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const entries = Object.entries(exports)
    .filter(([name, { types, default: script }]) => types && /\.js$/.test(script) && name !== './worker-thread')
    .map(([, { types }]) => resolve(types));
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    // Not es2022: TypeDoc warns of each type that two files of it comment on, like Promise.
    lib: ['es2017', 'es2018.asynciterable', 'es2018.asyncgenerator', 'es2020.bigint', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
  };
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: entries }));
  const options = JSON.parse(readFileSync(join(here, 'typedoc.json'), 'utf8'));
  writeFileSync(
    join(work, 'typedoc.json'),
    JSON.stringify({
      ...options,
      entryPoints: entries,
      readme: 'intro.md',
      favicon: resolve('web/icon.svg'),
      projectDocuments: [...GUIDES, 'programs', 'tensor-names'].map((name) => `${name}.md`),
      out: resolve(out),
    }),
  );
  rmSync(out, { recursive: true, force: true });
  execFileSync(process.execPath, ['node_modules/typedoc/bin/typedoc'], { cwd: work, stdio: 'inherit' });
}

/** Inline scripts become a file, so that a strict Content-Security-Policy lets them run. */
function moveScripts() {
  /** @type {Map<string, string>} */
  const scripts = new Map();
  for (const path of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.html')) continue;
    const html = readFileSync(join(out, path), 'utf8');
    const up = '../'.repeat(path.split(/[\\/]/).length - 1);
    const moved = html.replace(/<script>([^]+?)<\/script>/g, (_, code) => {
      if (!scripts.has(code)) scripts.set(code, `assets/inline-${scripts.size}.js`);
      return `<script src="${up}${scripts.get(code)}"></script>`;
    });
    writeFileSync(join(out, path), moved);
  }
  for (const [code, path] of scripts) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), code);
  }
}
