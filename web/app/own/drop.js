// Files that are dropped anywhere on the page, folders with what is in them.

const DEEPEST = 2; // folders

/** @param {(files: File[]) => void} onFiles */
export function createDrop(onFiles) {
  const page = document.documentElement;
  const hasFiles = (/** @type {DragEvent} */ { dataTransfer, defaultPrevented }) =>
    !defaultPrevented && Boolean(dataTransfer?.types.includes('Files')); // Train takes a run itself
  let timer = 0; // dragover comes all the time; there is no event for files that leave the window everywhere
  addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault(); // else the browser would open the file in place of the page
    page.toggleAttribute('data-dropping', true);
    clearTimeout(timer);
    timer = setTimeout(() => page.toggleAttribute('data-dropping', false), 300);
  });
  addEventListener('drop', async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    page.toggleAttribute('data-dropping', false);
    const { items, files } = /** @type {DataTransfer} */ (event.dataTransfer);
    // All of them before the first await: then the list is gone.
    const entries = [...items].map((item) => item.webkitGetAsEntry?.() ?? null);
    const plain = [...files];
    const found = entries.some((entry) => entry?.isDirectory)
      ? (await Promise.all(entries.map((entry) => filesOf(entry, 0)))).flat()
      : plain;
    onFiles(found);
  });
}

/**
 * @param {FileSystemEntry | null} entry
 * @param {number} depth
 * @returns {Promise<File[]>}
 */
async function filesOf(entry, depth) {
  if (!entry) return [];
  if (entry.isFile)
    return [await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject))];
  if (depth === DEEPEST) return [];
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {FileSystemEntry[]} */
  const all = [];
  for (;;) {
    // A reader gives a hundred at a time, at the end none.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    for (const each of some) all.push(each);
  }
  const files = (await Promise.all(all.map((each) => filesOf(each, depth + 1)))).flat();
  for (const file of files) withPath(file, `${entry.name}/${file.webkitRelativePath || file.name}`);
  return files;
}

/** As a folder that is chosen has it. @param {File} file @param {string} path */
export const withPath = (file, path) =>
  Object.defineProperty(file, 'webkitRelativePath', { value: path, configurable: true });
