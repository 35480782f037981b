// A view whose code is fetched when there is first something to show in it.

/**
 * @template Data
 * @param {() => Promise<{update: (data: Data | null) => void}>} load
 */
export function lateView(load) {
  /** @type {Data | null} */
  let data = null;
  /** @type {ReturnType<typeof load> | null} */
  let loading = null;
  /** @type {Awaited<ReturnType<typeof load>> | null} */
  let view = null;
  return {
    /** @param {Data | null} next */
    update(next) {
      data = next;
      if (view) view.update(next);
      else if (next && !loading) {
        loading = load();
        loading.then(
          (loaded) => {
            view = loaded;
            view.update(data);
          },
          () => (loading = null), // the next update tries again
        );
      }
    },
  };
}
