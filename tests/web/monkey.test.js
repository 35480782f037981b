// A short random walk; monkey-long.test.js takes a longer one. SEED=7 ACTIONS=500 npm test -- tests/web/monkey.test.js
import { test } from 'node:test';
import { useBrowser } from './browser.js';
import { walk } from './monkey.js';

const tools = useBrowser();
const { SEED = '1', ACTIONS = '150' } = process.env;

test(`${ACTIONS} random actions in all places, seed ${SEED}`, () => walk(tools, Number(SEED), Number(ACTIONS)));
