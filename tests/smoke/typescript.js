// What TypeScript says of a strict user's file, from its version 5.0 to the newest.
import { fixture, node, run, tool, version } from './project.js';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

export const typescript = [
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
