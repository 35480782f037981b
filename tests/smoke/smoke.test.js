// The targets of `npm run smoke` that need no install.
import { after, before, test } from 'node:test';
import { Workshop } from './project.js';
import { targets } from './targets.js';

/** @type {Workshop} */
let workshop;
before(() => void (workshop = new Workshop()));
after(() => workshop?.close());

for (const target of targets.filter(({ sample }) => sample)) {
  test(`the packed file: ${target.name}`, async (t) => {
    const { variant, bytes } = await workshop.attempt(target);
    t.diagnostic([variant, bytes].filter(Boolean).join(', '));
  });
}
