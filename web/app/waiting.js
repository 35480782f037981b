// A notice above Explore while a model is prepared: the task, its progress, and Cancel.

import { toModels } from './menus.js';

/**
 * @param {{doing: string, label: string, cancelled: string, stop: AbortController, isTyped?: boolean}} options doing: a
 *   sentence; label: of the bar; cancelled: why `stop` is aborted where the reader cancels; isTyped: the reader is
 *   typing, so the text stays where it is, and the notice stands aside
 */
export function showWaiting({ doing, label, cancelled, stop, isTyped = false }) {
  const { signal } = stop;
  const notice = document.createElement('p');
  notice.className = isTyped ? 'notices passing retrain' : 'notices retrain';
  const bar = Object.assign(document.createElement('progress'), { max: 1, value: 0, ariaLabel: label });
  const text = document.createElement('span');
  text.role = 'status';
  text.textContent = doing;
  const buttonOf = (/** @type {string} */ textContent) =>
    Object.assign(document.createElement('button'), { type: 'button', textContent });
  const button = buttonOf('Cancel');
  button.addEventListener('click', () => stop.abort(new Error(cancelled)));
  notice.append(text, ' ', bar, ' ', button);
  const place = document.getElementById('explore');
  place?.setAttribute('data-trains', isTyped ? 'text' : '');
  document.querySelector('#notices')?.before(notice);
  let hadFocus = false;
  const stopped = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  signal.addEventListener('abort', remove); // at once: another model may be shown next

  function remove() {
    if (!notice.isConnected) return;
    hadFocus = notice.contains(document.activeElement);
    place?.removeAttribute('data-trains');
    notice.remove();
  }

  return {
    /** The result of an action, until the controller is aborted. @template T @param {Promise<T>} action */
    until: (action) => /** @type {Promise<T>} */ (Promise.race([action, stopped])),
    update: (/** @type {number} */ share) => void (bar.value = share),
    /** Waits until the reader begins it. @param {string} question @param {string} answer @returns {Promise<void>} */
    ask(question, answer) {
      const begin = buttonOf(answer);
      text.textContent = question;
      bar.replaceWith(begin);
      return new Promise((resolve) =>
        begin.addEventListener('click', () => {
          text.textContent = doing;
          begin.replaceWith(bar);
          button.focus();
          resolve();
        }),
      );
    },
    /** Leads the reader on who was there. @param {HTMLElement | null} [next] by default the menu of models */
    end(next) {
      remove();
      if (hadFocus) (next ?? toModels())?.focus();
    },
  };
}
