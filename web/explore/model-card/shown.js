// The model card with its facts: fetched when the reader opens the fold that it stands in.

import { cardOf } from './card.js';
import * as view from './view.js';

/** @param {HTMLElement} root */
export function create(root) {
  const inner = view.create(root);
  return {
    /** @param {import('./panel.js').CardData | null} data */
    update: (data) => inner.update(data && cardOf(data.modelInfo, data.parameters)),
  };
}
