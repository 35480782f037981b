import { test } from 'node:test';
import { useBrowser } from './browser.js';
import { walk } from './monkey.js';

const tools = useBrowser();

for (const seed of [11, 12, 13, 14])
  test(`500 random actions in all places, seed ${seed}`, () => walk(tools, seed, 500));
