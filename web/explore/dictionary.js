// The views of the features' face by name. The page fetches this file when the reader turns to that face.

import { featureCard } from './features/feature-card.js';
import { featureHold } from './features/feature-hold.js';
import { featureMap } from './features/feature-map.js';
import { featureStrip } from './features/feature-strip.js';
import { featureTry } from './features/feature-try.js';
import { featureWait } from './features/feature-wait.js';

/** @type {Map<string, import('./index.js').Feature>} */
export const dictionary = new Map(
  [featureCard, featureHold, featureMap, featureStrip, featureTry, featureWait].map((each) => [each.name, each]),
);
