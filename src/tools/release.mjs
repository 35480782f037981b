// Refuses a release while the version has no day in CHANGELOG.md or the address in package.json is a placeholder.
import { readFileSync } from 'node:fs';

const [manifest, changes] = ['package.json', 'CHANGELOG.md'].map((name) => readFileSync(name, 'utf8'));
const { version } = JSON.parse(manifest);
const why = [
  !changes.includes(`\n## ${version} — `) && `CHANGELOG.md has no day for ${version}`,
  manifest.includes('OWNER') && 'package.json has a placeholder in place of an address',
].filter(Boolean);
for (const text of why) console.error(`release: ${text}`);
process.exitCode = why.length ? 1 : 0;
