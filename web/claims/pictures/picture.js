// The figure of a run in a template, drawn anew for another run or guess.

import { component } from '../../kit/component.js';
import { createPicture } from './picture-view.js';

/**
 * `first`: a panel before those of the run, as of the reader's guess; `name`: under which it can be saved.
 * @typedef {import('../../../src/claims/shared/picture.js').Panel} Panel
 * @typedef {{panels: readonly Panel[], first?: Panel | null, name: string}} Figure
 */

/** @type {(figure: Figure) => unknown} */
export const picture = component((root) => {
  /** @type {readonly Panel[] | null} */
  let drawn = null;
  let guess = '';
  return {
    /** @param {Figure} figure */
    update({ panels, first = null, name }) {
      const said = JSON.stringify(first);
      if (drawn === panels && guess === said) return;
      [drawn, guess] = [panels, said];
      root.replaceChildren(createPicture([...(first ? [first] : []), ...panels], name));
    },
  };
});
