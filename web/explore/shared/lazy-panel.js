// A panel that has nothing to show until the reader does something: its code is fetched then.

/**
 * @template Data
 * @param {import('../index.js').Placed & {
 *   isWanted: (query: import('../index.js').Query) => boolean,
 *   load: () => Promise<import('../index.js').Panel<Data>>,
 * }} lazy `isWanted`: whether there is something to show
 * @returns {import('../index.js').Panel<Data>}
 */
export function lazyPanel({ isWanted, load, ...place }) {
  /** @type {import('../index.js').Panel<Data> | null} */
  let panel = null;
  let begin = () => {};
  return {
    ...place,
    required(query) {
      if (!isWanted(query)) return [];
      if (!panel) begin();
      return panel?.required?.(query) ?? [];
    },
    present: (context) =>
      isWanted({ plan: context.result.plan, state: context.state }) ? panel?.present(context) : null,
    create(root, tools) {
      /** @type {ReturnType<import('../index.js').Panel<Data>['create']> | null} */
      let view = null;
      begin = async () => {
        begin = () => {};
        panel = await load();
        view = panel.create(root, tools);
        tools.set({}); // what it requires is asked for, and shown
      };
      return { update: (data) => view?.update(data), destroy: () => view?.destroy() };
    },
  };
}
