// The fact sheet of a trained model.

import { sheetOf } from './card.js';
import * as view from './view.js';

/** @type {import('../index.js').Panel<import('./view.js').SheetData>} */
export const sheet = {
  name: 'sheet',
  part: 'run',
  wants: () => [],
  present: ({ facts }, state, scheme, known) => (known ? sheetOf(known, facts.parameters) : null),
  blank: () => undefined, // it does not depend on the text
  create: (root) => view.create(root),
};
