// Runs a program of a mutant with the processes that it starts: none of them outlives its limit, or this process.
import { spawn } from 'node:child_process';

/** The first process of each group that runs. @type {Set<number>} */
const groups = new Set();

/** @param {number} pid of a group's first process */
function end(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // None of it is left.
  }
}

/**
 * Calls before this process ends, by a signal too; the groups that still run end first.
 * @param {() => void} remove
 */
export function endWith(remove) {
  process.on('exit', () => {
    groups.forEach(end);
    remove();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
}

/**
 * @param {string} program @param {string[]} args @param {{cwd: string, env?: NodeJS.ProcessEnv}} options
 * @param {number} limit in seconds
 * @returns {Promise<{code: number | null, isLate: boolean}>}
 */
export const runGroup = (program, args, options, limit) =>
  new Promise((done, fail) => {
    const child = spawn(program, args, { ...options, stdio: 'ignore', detached: true });
    const pid = Number(child.pid);
    if (pid) groups.add(pid);
    let isLate = false;
    const timeout = setTimeout(() => {
      isLate = true;
      end(pid);
    }, 1000 * limit);
    child.on('error', fail).on('close', (code) => {
      clearTimeout(timeout);
      end(pid);
      groups.delete(pid);
      done({ code, isLate });
    });
  });
