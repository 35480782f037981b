// The fact sheet of a trained model.

import { sheetOf } from '../sheet.js';
import * as view from '../views/sheet.js';

/** @type {import('./index.js').Panel<import('../views/sheet.js').SheetData>} */
export const sheet = {
  name: 'sheet',
  part: 'run',
  wants: () => [],
  present: ({ facts }, state, scheme, known) => (known ? sheetOf(known, facts.parameters) : null),
  blank: () => undefined, // it does not depend on the text
  create: (root) => view.create(root),
};
