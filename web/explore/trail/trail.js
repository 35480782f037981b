// The trail once it is needed: the recorder, the player, the line below an embedded figure.

import css from './trail.css';
import { addStyle } from '../../draw/style.js';
import { createPlayer } from './player.js';
import { createRecorder } from './recorder.js';
import * as liveView from './view-live.js';

/**
 * @param {HTMLElement} button that opens the recorder
 * @param {import('../index.js').Tools} tools
 */
export function createTrail(button, tools) {
  addStyle(css);
  const [trail, strip, live] = ['trail', 'trail-player', 'trail-live'].map(
    (id) => /** @type {HTMLElement} */ (document.getElementById(id)),
  );
  const recorder = createRecorder(trail, button, tools);
  const player = createPlayer(strip, tools);
  const line = liveView.create(live);
  return {
    toggle: recorder.toggle,
    /** @param {import('../index.js').State} state */
    update(state) {
      player.update(state);
      recorder.update();
      line.update(state.embed ? { href: tools.link().replace(/&embed=1\b/, '') } : null);
    },
  };
}
