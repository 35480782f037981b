// Tools that read the package without running it: TypeScript from 5.0 to the newest, publint, attw.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { fixture, node, pack, run, tool, version } from './project.js';

/** @typedef {import('./targets.js').Target} Target */

const LIBRARIES = { dom: ['es2022', 'dom'], 'no dom': ['es2022'] };
const RESOLUTIONS = { bundler: 'esnext', nodenext: 'nodenext' };

/** Settings by the name of their file. @type {Record<string, string>} */
const configurations = Object.fromEntries(
  Object.entries(LIBRARIES).flatMap(([library, lib]) =>
    Object.entries(RESOLUTIONS).map(([moduleResolution, module]) => {
      const options = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022', types: [], lib };
      const files = ['user.ts', ...(library === 'dom' ? ['page.ts'] : [])];
      return [
        `${moduleResolution}, ${library}.json`,
        JSON.stringify({ compilerOptions: { ...options, module, moduleResolution }, files }),
      ];
    }),
  ),
);

/**
 * @param {string} name
 * @param {string} alias of the package in the tools, or its folder
 * @param {(folder: string, configuration: string) => Promise<string>} compile
 */
const target = (name, alias, compile, sample = false) => ({
  name: `typescript${name}`,
  version: () => version(alias),
  what: 'strict, bundler and nodenext, with and without DOM, skipLibCheck off',
  files: { 'user.ts': fixture('user.ts'), 'page.ts': fixture('page.ts'), ...configurations },
  async run(/** @type {string} */ folder) {
    const problems = [];
    for (const configuration of Object.keys(configurations))
      await compile(folder, configuration).catch((error) => problems.push(error.message));
    if (problems.length) throw new Error(problems.join('\n'));
    return {};
  },
  sample,
});

/** The project's own, which npm test has at hand. */
const OWN = fileURLToPath(new URL('../../node_modules/typescript/', import.meta.url));

const typescript = [
  ...['50', '59', '60'].map((each) =>
    target(`${each[0]}.${each[1]}`, `typescript${each}`, (cwd, configuration) =>
      run(node(), [tool(`typescript${each}/lib/tsc.js`), '-p', configuration], { cwd }),
    ),
  ),
  target(
    '',
    OWN,
    (cwd, configuration) => run(process.execPath, [join(OWN, 'bin/tsc'), '-p', configuration], { cwd }),
    true,
  ),
];

/** The packed file, beside all projects. @param {string} folder of a project */
function packed(folder) {
  const [name] = readdirSync(join(folder, '..')).filter((each) => each.endsWith('.tgz'));
  const { buffer, byteOffset, length } = readFileSync(join(folder, '..', name));
  return { buffer: buffer.slice(byteOffset, byteOffset + length), bytes: length };
}

/** @type {Target[]} */
export const checkers = [
  ...typescript,
  {
    name: 'typescript-react',
    version: () => `${version('typescript60')}, @types/react ${version('@types/react')}`,
    what: 'strict, <glass-heatmap> in JSX, a wrong property refused',
    files: {
      'react.tsx': fixture('react.tsx'),
      'wrong.tsx': fixture('react.tsx').replace('matrix={{ data }}', 'matrix={{ date: data }}'),
    },
    async run(folder) {
      const options = '--strict --noEmit --jsx react-jsx --module esnext --moduleResolution bundler --target es2022';
      const args = [tool('typescript60/lib/tsc.js'), '--ignoreConfig', ...options.split(' ')];
      await run(node(), [...args, 'react.tsx'], { cwd: folder });
      await assert.rejects(run(node(), [...args, 'wrong.tsx'], { cwd: folder }), /'date' does not exist/);
      return {};
    },
  },
  {
    name: 'publint',
    version: () => version('publint'),
    what: '--strict, of the packed file',
    async run(folder) {
      const { buffer, bytes } = packed(folder);
      const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
      assert.deepEqual(
        messages.map((message) => formatMessage(message, pkg, { color: false })),
        [],
      );
      return { bytes };
    },
    sample: true,
  },
  {
    name: 'attw',
    version: () => version('@arethetypeswrong/core'),
    what: 'of the packed file, as a package of ES modules only',
    async run(folder) {
      const { buffer, bytes } = packed(folder);
      const { types, problems } = await checkPackage(createPackageFromTarballData(new Uint8Array(buffer)));
      assert(types);
      // Resolutions that find no package of ES modules, whatever its types.
      assert.deepEqual(
        problems.filter(({ resolutionKind }) => !['node10', 'node16-cjs'].includes(resolutionKind)),
        [],
      );
      return { bytes };
    },
    sample: true,
  },
  {
    name: 'pack',
    version: () => JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    what: 'npm pack twice gives the same bytes',
    async run(folder) {
      const [first, second] = ['first', 'second'].map((name) => readFileSync(pack(join(folder, name))));
      assert(first.equals(second), 'the two files differ');
      return { bytes: first.length };
    },
    sample: true,
  },
];
