// A panel that has nothing to show until the reader does something: what makes it is fetched then.

/**
 * @template Data
 * @param {Pick<import('../index.js').Panel<Data>, 'name' | 'part'> & {
 *   isWanted: (plan: import('../../engine/plan.js').Plan, state: import('../index.js').Wishes) => boolean,
 *   fetch: () => Promise<import('../index.js').Panel<Data>>,
 * }} what `isWanted`: whether there is something to show
 * @returns {import('../index.js').Panel<Data>}
 */
export function later({ name, part, isWanted, fetch }) {
  /** @type {import('../index.js').Panel<Data> | null} */
  let panel = null;
  let begin = () => {};
  return {
    name,
    part,
    wants(plan, state) {
      if (!isWanted(plan, state)) return [];
      if (!panel) begin();
      return panel?.wants(plan, state) ?? [];
    },
    present: (picture, state, ...rest) =>
      isWanted(picture.plan, state) ? panel?.present(picture, state, ...rest) : null,
    create(root, tools) {
      /** @type {ReturnType<import('../index.js').Panel<Data>['create']> | null} */
      let view = null;
      begin = async () => {
        begin = () => {};
        panel = await fetch();
        view = panel.create(root, tools);
        tools.set({}); // what it wants is asked for, and shown
      };
      return { update: (data) => view?.update(data), destroy: () => view?.destroy() };
    },
  };
}
