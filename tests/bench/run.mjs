// npm run bench -- [SUITE] [WORKLOAD…] [--browser [firefox | webkit]] [--quick] [--json FILE]
//   [--beside FOLDER]
//
// Runs one suite of this folder, which src/docs/guides/benchmarks.md describes, and prints its tables.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, type } from 'node:os';
import { parseArgs } from 'node:util';
import { executable } from './browser.js';

/**
 * The options and the report of a suite.
 * @typedef {'chromium' | 'firefox' | 'webkit'} Browser
 * @typedef {{workloads: string[], browser: Browser | '', quick: boolean, beside?: string}} Options workloads: parts of
 *   names, none means all; beside: another build of the page, for the suite page
 * @typedef {{title: string, columns: string[], rows: (string | number)[][]}} Table
 * @typedef {{title: string, tables: Table[], notes: string[]}} Report
 */

const BROWSERS = ['chromium', 'firefox', 'webkit'];
const SUITES =
  'peers loops readme big growth training features workers startup variants cost page page-big checkpoints'.split(' ');
const USAGE = `npm run bench -- [${SUITES.join(' | ')}] [WORKLOAD…] [--browser [firefox | webkit]] [--quick]
[--json FILE] [--beside FOLDER]`;

/** Versions and machine: what a number means nothing without. @param {Browser | ''} browser */
function machine(browser) {
  const version = (/** @type {string} */ name) => {
    const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : 'not installed';
  };
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    machine: `${processors[0].model}, ${processors.length} cores, ${type()} ${release()}`,
    node: `${process.version}, V8 ${process.versions.v8}`,
    ...(browser === 'chromium' && {
      browser: execFileSync(executable(), ['--version'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim(),
    }),
    'onnxruntime-web': version('onnxruntime-web'),
    'tfjs-backend-wasm': version('@tensorflow/tfjs-backend-wasm'),
  };
}

/** Three significant digits, so that a column reads at a glance. @param {string | number} cell */
const text = (cell) =>
  typeof cell !== 'number' ? cell : cell >= 100 ? cell.toFixed(0) : String(Number(cell.toPrecision(3)));

/** @param {Table} table */
function print({ title, columns, rows }) {
  const cells = [columns, ...rows.map((row) => row.map(text))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => (row[i] ?? '').length)));
  const right = columns.map((_, i) => rows.some((row) => typeof row[i] === 'number'));
  console.log(`\n${title}`);
  for (const row of cells) {
    console.log(
      `  ${columns.map((_, i) => (row[i] ?? '')[right[i] ? 'padStart' : 'padEnd'](widths[i])).join('  ')}`.trimEnd(),
    );
  }
}

const { values: given, positionals } = readArguments();
const name = SUITES.includes(positionals[0]) ? positionals.shift() : SUITES[0];
const about = machine(given.browser || (name === 'page' ? 'chromium' : ''));
for (const [what, value] of Object.entries(about)) console.log(`${what}: ${value}`);

const { default: suite } = await import(`./${name}.js`);
const { quick, beside } = given;
const browser = /** @type {Browser | ''} */ (given.browser);
/** @type {Report} */
const report = await suite({ workloads: positionals, browser, quick, beside });
console.log(`\n${report.title}`);
report.tables.forEach(print);
if (report.notes.length) console.log(`\n${report.notes.join('\n')}`);
if (given.json) writeFileSync(given.json, `${JSON.stringify({ suite: name, ...about, ...report }, null, 1)}\n`);

function readArguments() {
  // A browser may be named or not, which parseArgs has no word for.
  const args = process.argv.slice(2);
  const at = args.indexOf('--browser');
  if (at >= 0 && !BROWSERS.includes(args[at + 1])) args.splice(at + 1, 0, 'chromium');
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        browser: { type: 'string', default: '' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        beside: { type: 'string' },
      },
    });
  } catch (error) {
    console.error(`${error.message}\nUsage: ${USAGE}`);
    process.exit(2);
  }
}
