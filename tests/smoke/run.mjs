// npm run smoke -- [TARGET…] [--allow-missing]
//
// Installs the packed file in a fresh project for each target, runs the README's calls there, and prints one table.
// A target is meant by how its name begins: vite, node20, typescript5. One that cannot be had here is a failure too,
// unless --allow-missing is given.
import { parseArgs } from 'node:util';
import { Workshop } from './project.js';
import { table } from './table.js';
import { targets } from './targets.js';

const { values: given, positionals } = readArguments();
const unknown = positionals.filter((name) => !targets.some((target) => target.name.startsWith(name)));
if (unknown.length) fail(`There is no target ${unknown.join(', ')}.`);
const chosen = targets.filter(
  ({ name }) => !positionals.length || positionals.some((beginning) => name.startsWith(beginning)),
);

const workshop = new Workshop();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => workshop.close().then(() => process.exit(1)));
try {
  const { failed, missing } = await table(chosen, (target) => workshop.attempt(target), console.log);
  process.exitCode = failed || (missing && !given['allow-missing']) ? 1 : 0;
} finally {
  await workshop.close();
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { 'allow-missing': { type: 'boolean', default: false } } });
  } catch (error) {
    return fail(error.message);
  }
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`${message}\nUsage: npm run smoke -- [TARGET…] [--allow-missing]`);
  console.error(`Targets: ${targets.map(({ name }) => name).join(' ')}`);
  process.exit(2);
}
