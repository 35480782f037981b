// Each live task is learnt in the page with its own recipe, within the steps that the page states: on three seeds, of
// those that take ten seconds on one. GLASSFORMER_SEEDS=all takes three of these, too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEXTS } from '../../../web/train/tasks.js';
import { useBrowser } from '../browser.js';
import { openAt } from './watch.js';

const tools = useBrowser();
const LONG = process.env.GLASSFORMER_SEEDS === 'all' ? [] : ['addition', 'story'];

for (const [task, { within, measure }] of Object.entries(TEXTS)) {
  const most = parseInt(within.replace(',', ''));
  if (!most || task === 'text') continue;
  test(`${task} is learnt in the page within ${within}`, async (t) => {
    for (const seed of LONG.includes(task) ? [1] : [1, 2, 3]) {
      const start = performance.now();
      const page = await openAt(tools, `#/train?task=${task}&seed=${seed}&step=${most}`);
      const solved = page.locator('.train-solved', { hasText: /at step/ });
      await solved
        .or(page.locator('.train-timeline strong', { hasText: most.toLocaleString('en') }))
        .first()
        .waitFor();
      const [, step] = /at step ([\d,]+)/.exec(await solved.innerText()) ?? [];
      t.diagnostic(`seed ${seed}: ${step} steps, ${((performance.now() - start) / 1000).toFixed(1)} s, ${measure}`);
      assert(Number(step.replace(',', '')) <= most, `seed ${seed}: ${step}`);
      await tools.close(page);
    }
  });
}
