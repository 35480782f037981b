// The package as a user has it: packed, and installed by npm in an empty folder.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @returns {string} the folder */
export function install() {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-docs-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root, stdio: 'pipe' });
  const [name] = readdirSync(folder);
  const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${name}`];
  execFileSync('npm', args, { cwd: folder, stdio: 'pipe' });
  return folder;
}
