// A long random walk, another one each day; its name tells the seed.
// SEED=20261129 npm test -- tests/web/monkey-long.test.js
import { test } from 'node:test';
import { useBrowser } from './browser.js';
import { walk } from './monkey.js';

const tools = useBrowser();
const { SEED = new Date().toISOString().slice(0, 10).replaceAll('-', '') } = process.env;

test(`500 random actions in all places, seed ${SEED}`, () => walk(tools, Number(SEED), 500));
