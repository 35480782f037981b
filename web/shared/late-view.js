// A view whose code is fetched when there is first something to show in it.

/**
 * @template Data
 * @param {(first: NonNullable<Data>) => Promise<{update: (data: Data) => void}>} load is given what is first shown
 */
export function lateView(load) {
  /** @type {Data} */
  let data;
  /** @type {ReturnType<typeof load> | null} */
  let loading = null;
  /** @type {Awaited<ReturnType<typeof load>> | null} */
  let view = null;
  return {
    /** @param {Data} next */
    update(next) {
      data = next;
      if (view) view.update(next);
      else if (next && !loading) {
        loading = load(next);
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
