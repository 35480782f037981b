// A notice above Explore while a model is made ready: what is done, how far it is, and the way out.

/**
 * @param {{doing: string, label: string, cancel: () => void}} options doing: a sentence; label: of the bar
 */
export function showWaiting({ doing, label, cancel }) {
  const notice = document.createElement('p');
  notice.className = 'notices retrain';
  const bar = Object.assign(document.createElement('progress'), { max: 1, value: 0, ariaLabel: label });
  const text = document.createElement('span');
  text.role = 'status';
  text.textContent = doing;
  const buttonOf = (/** @type {string} */ textContent) =>
    Object.assign(document.createElement('button'), { type: 'button', textContent });
  const button = buttonOf('Cancel');
  button.addEventListener('click', cancel);
  notice.append(text, ' ', bar, ' ', button);
  const place = document.getElementById('explore');
  place?.setAttribute('data-trains', '');
  document.querySelector('#notices')?.before(notice);
  let hadFocus = false;
  return {
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
    remove() {
      if (!notice.isConnected) return;
      hadFocus = notice.contains(document.activeElement);
      place?.removeAttribute('data-trains');
      notice.remove();
    },
    /** Whether the reader was there when it was removed. */
    hadFocus: () => hadFocus,
  };
}
