// Installs the packages of a folder's package-lock.json, apart from the project's own, where they are not yet:
// node src/tools/install.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @param {string} folder @param {string} [to] another folder for them */
export function install(folder, to = folder) {
  const lock = join(folder, 'package-lock.json');
  const ready = join(to, 'node_modules/.ready');
  if (existsSync(ready) && statSync(ready).mtimeMs >= statSync(lock).mtimeMs) return;
  if (to !== folder)
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(folder, name), join(to, name));
  console.error(`npm: installing the packages of ${lock}`);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', '--no-save', '--prefix', to, ...quiet], { stdio: 'inherit' });
  writeFileSync(ready, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install(process.argv[2]);
