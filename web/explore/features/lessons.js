// Lessons: their button in the bar, and the values that a lesson needs; the rest is fetched when one is opened.

/** An address that names a lesson and nothing that the lesson sets. */
const BARE = /^#(\/explore\?)?((model=\w+|layout=\w+)&)*(book|puzzle)=\d+(&layout=\w+)?$/;

/** @type {ReturnType<typeof import('../shared/book.js').createBook> | null} */
let book = null;
/** @type {Promise<unknown> | null} */
let loading = null;
let isBare = false;

/** @param {import('../index.js').State} state @param {import('../index.js').Tools} tools */
async function follow(state, tools) {
  if (state.book && !book) isBare ||= BARE.test(location.hash);
  if (book) return book.follow(state, { isBare: BARE.test(location.hash) });
  if (state.book === null || loading) return;
  loading = import('../shared/book.js');
  try {
    const { createBook } = await /** @type {Promise<typeof import('../shared/book.js')>} */ (loading);
    book = createBook(/** @type {HTMLElement} */ (document.querySelector('[data-slot="page"]')), tools);
  } catch (error) {
    loading = null; // the next change tries again
    throw error;
  }
  book.follow(tools.get(), { isBare });
  tools.set({}); // requests the values that its numbers need
}

const place = () => document.documentElement.dataset.place;
const button = () => document.getElementById('book-button');

/** The button is every place's, so it is markup of index.html. @type {import('../index.js').InputFeature} */
export const bookButton = {
  name: 'book-button',
  input: true,
  begin({ get, set }) {
    button()?.addEventListener('click', () => {
      if (place() === 'train') return; // which has its own
      if (place() === 'claims') location.hash = '#/explore';
      else if (get().book !== null) return book?.leave();
      set({ book: get().book ?? 0 });
    });
    const Observer = document.defaultView?.MutationObserver; // for when the reader comes back
    if (Observer)
      new Observer(() => mark(get())).observe(document.documentElement, { attributeFilter: ['data-place'] });
  },
  render({ state }, tools) {
    queueMicrotask(() => {
      mark(state);
      follow(state, tools);
    });
    return null;
  },
};

/** @param {Pick<import('../index.js').State, 'book'>} state */
function mark({ book: open }) {
  if (place() === 'train') return; // which has its own
  button()?.setAttribute('aria-expanded', String(place() === 'explore' && open !== null));
}

/** @type {import('../index.js').Feature} */
export const lessons = {
  name: 'lessons',
  needs: (query) => book?.needs(query) ?? [],
  render(context) {
    queueMicrotask(() => book?.draw(context)); // once all that it points at is drawn
    return null;
  },
  blank() {
    queueMicrotask(() => book?.draw(null));
    return null;
  },
};
