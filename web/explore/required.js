// The names that panels need of a plan, each once.

/**
 * @param {readonly Pick<import('./index.js').Panel<any>, 'wants'>[]} panels
 * @param {import('../engine/plan.js').Plan} plan
 * @param {import('./index.js').Wishes} state with a selection that exists
 */
export const wantedBy = (panels, plan, state) => [...new Set(panels.flatMap((panel) => panel.wants(plan, state)))];
