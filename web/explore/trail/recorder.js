// Records a trail: opens and closes the panel, shows the steps, gives out links.

import { embedCode, trailLink } from './link.js';
import { createRecording } from './recording.js';
import { keepingFocus } from '../../draw/focus.js';
import { createStatus } from '../../draw/status-message.js';
import { copyText } from '../../export/file.js';
import * as limits from '../../shared/trail.js';
import * as view from './view.js';

/** @typedef {import('../../shared/trail.js').Step} Step */

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} button that opens it
 * @param {import('../index.js').Tools} tools
 */
export function createRecorder(root, button, tools) {
  const recording = createRecording(tools);
  const status = createStatus(draw);
  const link = createLink(draw);
  let isOpen = false;
  let fallback = ''; // what could not be copied
  const panel = view.create(root, {
    onClose: toggle,
    onDraft: drawn(recording.write),
    onSubmit(ofView) {
      const done = recording.submit(ofView);
      if (done) status.show(done);
      else draw();
    },
    onCancel: drawn(recording.cancel),
    onEdit(at) {
      recording.edit(at);
      draw();
      panel.focusSentence();
    },
    onMove: drawn(recording.move),
    onRemove: drawn(recording.remove),
    onClear: drawn(recording.clear),
    onUndo: drawn(recording.undo),
    onEmbed(at) {
      const step = recording.steps()[at];
      copy(embedCode(step.link, step.sentence, location.href), `Frame of step ${at + 1} copied.`);
    },
    onLink: (word) => copy(trailLink(word, location.href), 'Link copied.'),
    onPlay(word) {
      toggle();
      location.href = trailLink(word, location.href);
    },
  });
  addEventListener('storage', draw);
  root.addEventListener('keydown', (event) => event.key === 'Escape' && toggle());

  /**
   * @template {any[]} Given
   * @param {(...given: Given) => void} action
   */
  function drawn(action) {
    return (/** @type {Given} */ ...given) => {
      action(...given);
      draw();
    };
  }

  function draw() {
    if (!isOpen) return;
    const data = recording.data();
    const word = link.of(data.steps);
    keepingFocus(() => panel.update({ ...data, link: word, fallback, message: status.message(), limits }));
  }

  function toggle() {
    isOpen = !isOpen;
    root.hidden = !isOpen;
    button.ariaExpanded = String(isOpen);
    document.documentElement.toggleAttribute('data-recording', isOpen);
    draw();
    (isOpen ? root : button).focus({ preventScroll: true });
    tools.set({}); // the maps are laid out anew
  }

  /** @param {string} text @param {string} message */
  async function copy(text, message) {
    fallback = (await copyText(text)) ? '' : text;
    status.show(fallback ? 'No access to the clipboard: copy it from here.' : message);
  }

  return { toggle, update: draw };
}

/** The word that stands for the steps in a link; made anew for other steps. @param {() => void} draw */
function createLink(draw) {
  let made = '';
  /** @type {string | null} */
  let word = null;
  return {
    /** @param {Step[]} steps @returns {string | null} null: it is being made */
    of(steps) {
      const key = JSON.stringify(steps);
      if (key === made) return word;
      made = key;
      word = null;
      limits.writeTrail(steps).then((text) => {
        if (made !== key) return;
        word = text;
        draw();
      });
      return null;
    },
  };
}
