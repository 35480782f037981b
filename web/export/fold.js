// A fold whose content is fetched when the reader first opens it.

/**
 * @template Data
 * @param {HTMLElement} root
 * @param {string} summary
 * @param {(root: HTMLElement) => Promise<{update: (data: Data | null) => void, destroy: () => void}>} make its content
 */
export function createFold(root, summary, make) {
  const details = document.createElement('details');
  const line = document.createElement('summary');
  const of = document.createElement('span'); // the figure it belongs to, for screen readers
  const body = document.createElement('div');
  of.className = 'visually-hidden';
  body.className = 'fold-body';
  body.hidden = true;
  line.append(summary, of);
  details.append(line);
  root.append(details, body); // beside it, so that its width is not the summary's
  /** @type {Data | null} */
  let data = null;
  /** @type {Promise<{update: (data: Data | null) => void, destroy: () => void}> | null} */
  let made = null;

  const show = async () => (await made)?.update(details.open ? data : null);
  details.addEventListener('toggle', () => {
    body.hidden = !details.open;
    if (details.open) made ??= make(body);
    show();
  });
  return {
    /** @param {Data | null} next @param {string} name */
    update(next, name) {
      data = next;
      root.hidden = !next;
      if (of.textContent !== `: ${name}`) of.textContent = `: ${name}`;
      show();
    },
    async destroy() {
      (await made)?.destroy();
      root.replaceChildren();
    },
  };
}
