// The features that the first opening leaves out, in a file of their own, by their names in index.js.

import { computation } from './features/computation.js';
import { about, settings, settingsFacts, untrained } from './features/settings.js';
import { share } from './features/share.js';
import { sheet } from './features/sheet.js';
import { trying } from './features/try.js';

/** @type {Map<string, import('./index.js').Feature | import('./index.js').InputFeature>} */
export const instrument = new Map(
  [computation, about, settings, settingsFacts, untrained, share, sheet, trying].map((each) => [each.name, each]),
);
