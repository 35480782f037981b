// The judge of mutants in JavaScript: of the thresholds of a share's text some are killed, and survivors are shown.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const env = { ...process.env, NODE_TEST_CONTEXT: undefined }; // else the tests of a mutant only report to this one

test('mutants of a file are made, tried with the tests that pass them, and counted', () => {
  const args = [
    'tests/mutants/run.mjs',
    '--js',
    'web/draw/numbers.js',
    '--sample',
    '6',
    '--tests',
    'tests/web/draw/color',
  ];
  const [first, second] = [0, 1].map(() => execFileSync('node', args, { cwd, env, encoding: 'utf8' }));
  const [, tried, killed, survived] = /, (\d+) tried, seed 1\n(\d+) killed, (\d+) survived: /.exec(first) ?? [];
  assert.equal(Number(tried), 6);
  assert.ok(Number(killed) > 0, first);
  assert.equal(Number(killed) + Number(survived), 6);
  assert.equal(first.match(/ SURVIVED/g)?.length ?? 0, Number(survived));
  // Without the time, and what npm says where it installs the instrumenter first.
  const timeless = (/** @type {string} */ text) => text.replace(/\n\d+ s,/, '').replace(/^\s*added .*\s+/, '\n');
  assert.equal(timeless(second), timeless(first), 'the same seed draws the same mutants');
});

/** The processes with a word in what /proc tells of them. @param {'environ' | 'cmdline'} what @param {string} word */
const processesWith = (what, word) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/${what}`, 'utf8').includes(word);
    } catch {
      return false; // it has ended, or is another user's
    }
  });

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  test(`${signal} ends the tests that run, and removes the copy`, { skip: process.platform !== 'linux' }, async () => {
    const name = 'GLASSFORMER_ENDED';
    const value = `${process.pid}-${signal}`;
    const tests = 'tests/web/explore/features/heatmap-n';
    const args = ['tests/mutants/run.mjs', '--js', 'web/draw/numbers.js', '--tests', tests];
    const tool = spawn('node', args, { cwd, env: { ...env, [name]: value }, stdio: 'ignore' });
    const ended = once(tool, 'exit');
    const own = () => processesWith('environ', `${name}=${value}`);
    let tested;
    while (!tested) {
      assert.equal(tool.exitCode, null);
      await after(20);
      const running = processesWith('cmdline', 'heatmap-numbers.test.js');
      tested = own().find((pid) => running.includes(pid));
    }
    const copy = readlinkSync(`/proc/${tested}/cwd`);
    assert(existsSync(copy));
    process.kill(Number(tested), 'SIGSTOP'); // it does not end by itself
    tool.kill(signal);
    assert.deepEqual(await ended, [130, null]);
    for (let tries = 0; own().length && tries < 50; tries++) await after(20); // the kernel ends them soon
    const left = own();
    for (const pid of left) process.kill(Number(pid), 'SIGKILL');
    assert.deepEqual([left, existsSync(copy)], [[], false]);
  });
