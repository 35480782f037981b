// Fresh projects with the packed file installed, and what is done in them.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import { engines, launchEngine, until } from '../web/engines.js';
import { check } from './check.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '../..');
const TOOLS = join(HERE, 'node_modules');
const PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>smoke</title><link rel="icon" href="data:,">';

/** A target that cannot be had on this machine. */
export class Missing extends Error {}

/**
 * A program or file of the tools that tests/smoke/package.json names.
 * @param {string} path below node_modules
 */
export function tool(path) {
  const file = join(TOOLS, path);
  if (!existsSync(file)) throw new Missing(`${path} is not installed (npm could not get it for this machine)`);
  return file;
}

/** The version that a package of the tools, or of the project itself, has. @param {string} name or folder */
export function version(name) {
  const file = [TOOLS, join(ROOT, 'node_modules')]
    .map((folder) => resolve(folder, name, 'package.json'))
    .find((path) => existsSync(path));
  return file ? JSON.parse(readFileSync(file, 'utf8')).version : '';
}

/** A Node of the tools. @param {string} name */
export const node = (name = 'node24') => tool(`${name}/bin/node`);

/** @param {string} name of a fixture */
export const fixture = (name) => readFileSync(join(HERE, 'fixtures', name), 'utf8');

/** A page that runs these modules. @param {string[]} scripts */
export const html = (...scripts) =>
  `${PAGE}<body>${scripts.map((src) => `<script type="module" src="${src}"></script>`).join('')}`;

/** All files below, as paths. @param {string} folder @returns {string[]} */
export const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

/** Packs the package as it would be published. @param {string} folder @returns {string} the file's path */
export function pack(folder) {
  mkdirSync(folder, { recursive: true });
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }));
  return join(folder, filename);
}

/** The processes and servers that are to end with this program. @type {Set<() => void>} */
const ends = new Set();
process.on('exit', () => ends.forEach((end) => end()));

/**
 * Starts a program, all of whose output is kept.
 * @param {string} program
 * @param {string[]} args
 * @param {{cwd: string, env?: Record<string, string>}} options
 */
function start(program, args, { cwd, env = {} }) {
  const child = spawn(program, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: '1', NO_COLOR: '1', NODE_OPTIONS: '', npm_config_user_agent: 'npm', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const end = () => {
    try {
      process.kill(-(/** @type {number} */ (child.pid)), 'SIGKILL'); // all that it has started
    } catch {
      // ended
    }
  };
  ends.add(end);
  /** @type {Promise<number | string>} */
  const code = new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => resolve(status ?? signal ?? ''));
  });
  return { code, end, output: () => output };
}

/**
 * Runs a program to its end.
 * @param {string} program @param {string[]} args
 * @param {{cwd: string, env?: Record<string, string>, seconds?: number}} options
 * @returns {Promise<string>} what it printed
 */
export async function run(program, args, { seconds = 120, ...options }) {
  const child = start(program, args, options);
  const late = wait(seconds * 1000, `no end after ${seconds} s`, { ref: false });
  const code = await Promise.race([child.code, late]);
  child.end();
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${code}\n${child.output().trim()}`);
  return child.output();
}

/**
 * Runs a server until the action is done.
 * @template T
 * @param {string} program @param {string[]} args @param {{cwd: string, env?: Record<string, string>}} options
 * @param {string} url where it answers
 * @param {() => Promise<T>} action
 */
export async function serving(program, args, options, url, action) {
  const child = start(program, args, options);
  let code;
  child.code.then((value) => (code = value));
  try {
    for (let tries = 0; ; tries++) {
      const answers = await fetch(url).then(
        () => true,
        () => false,
      );
      if (answers) break;
      if (code !== undefined || tries > 300) throw new Error(`no answer at ${url}, ended with ${code}`);
      await wait(200);
    }
    return await action();
  } catch (error) {
    throw new Error(`${error.message}\n${child.output().trim()}`, { cause: error });
  } finally {
    child.end();
  }
}

/** A port that nobody listens at. @returns {Promise<number>} */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });

/**
 * Serves a folder to any origin until the action is done.
 * @template T
 * @param {string} folder
 * @param {(url: string) => Promise<T>} action
 */
export async function served(folder, action) {
  const files = sirv(folder, { dev: true, dotfiles: true });
  const server = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    files(request, response, () => response.writeHead(404).end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  try {
    return await action(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The browsers that run. @type {Map<string, Promise<import('../web/engines.js').EnginePage>>} */
const browsers = new Map();

/**
 * The result of the program on a page.
 * @param {string} engine chromium, firefox or webkit
 * @param {string} url
 */
export async function answerOf(engine, url) {
  if (engines().absent.includes(engine)) throw new Missing(`${engine} is not installed`);
  if (!browsers.has(engine)) browsers.set(engine, launchEngine(engine));
  const page = await /** @type {Promise<any>} */ (browsers.get(engine));
  await page.goto(url);
  try {
    const { value, error } = await until(page, () => globalThis.answer, null, 60_000);
    if (error) throw new Error(error);
    return value;
  } catch (error) {
    throw new Error([error.message, ...page.messages].join('\n'), { cause: error });
  } finally {
    page.messages.length = 0;
  }
}

/** @param {string} engine that has run @returns {Promise<string>} its version */
export const engineVersion = async (engine) => ((await browsers.get(engine))?.version ?? '').replace(/^\S+ /, '');

/** Where the projects of this run lie. */
export class Workshop {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'glassformer-smoke-'));
    this.packed = pack(this.folder);
    // A project finds the tools above itself, and in itself nothing but what npm installs.
    if (existsSync(TOOLS)) symlinkSync(TOOLS, join(this.folder, 'node_modules'));
    this.installed = this.#write('installed', {});
    const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', this.packed];
    execFileSync('npm', args, { cwd: this.installed, stdio: 'pipe' });
    const main = `import { load } from 'glassformer';
      import { entries } from './entries.js';
      import { program } from './program.js';
      const options = { variant: 'simd' };
      console.log(JSON.stringify({ ...(await program(load, options)), entries: await entries(load, options) }));`;
    const cwd = this.project('reference', { 'main.js': main });
    /** @type {import('./check.js').Answer} what plain Node gives */
    this.reference = JSON.parse(execFileSync(process.execPath, ['main.js'], { cwd, encoding: 'utf8' }));
  }

  /**
   * Tries a target: in a fresh project, its answers checked.
   * @param {import('./targets.js').Target} target
   * @returns {Promise<{variant?: string, bytes?: number}>}
   */
  async attempt({ name, files, run }) {
    const { answers = [], bytes } = await run(this.project(name, files));
    for (const answer of answers) check(answer, this.reference);
    return { variant: [...new Set(answers.map(({ variant }) => variant))].join(', '), bytes };
  }

  /** @param {string} name @param {Record<string, string>} files */
  #write(name, files) {
    const folder = join(this.folder, name);
    const manifest = { name: `smoke-${name}`, version: '1.0.0', private: true, type: 'module' };
    for (const [path, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  }

  /**
   * A fresh project with the package installed: npm has done it once, each project has its own copy of that.
   * @param {string} name @param {Record<string, string>} [files] beside the program
   */
  project(name, files = {}) {
    const programs = Object.fromEntries(['program.js', 'entries.js'].map((each) => [each, fixture(each)]));
    const folder = this.#write(name, { ...programs, ...files });
    for (const each of ['package.json', 'node_modules'])
      if (!(each in files)) cpSync(join(this.installed, each), join(folder, each), { recursive: true });
    return folder;
  }

  async close() {
    for (const browser of browsers.values()) await browser.then((page) => page.close()).catch(() => {});
    browsers.clear();
    for (const end of ends) end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
