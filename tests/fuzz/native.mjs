// Runs a program of dist/native, which takes COUNT and SEED and prints its figures as a line of JSON.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {string} program as `wasm/abi` @param {{count: number, seed: number}} options
 * @returns {Promise<Record<string, unknown>>} the figures; rejects with what the program printed
 */
export async function runNative(program, { count, seed }) {
  const args = [count, seed].map(String);
  const { stdout } = await promisify(execFile)(`${root}dist/native/${program}`, args, { cwd: root });
  return JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.indexOf('\n')));
}
