// The menus of the bar: one is open at a time, until a choice, a click elsewhere or Escape closes it.

const CHOICE = 'button, label:not(:has([type=number]))';
const open = () => /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll('details.menu[open]'));

/** Where a reader goes on after a model was opened, or not. @returns {HTMLElement | null} */
export const toModels = () => document.querySelector('#models summary');

export function closeMenusOnLeave() {
  addEventListener('pointerdown', ({ target }) => {
    for (const menu of open()) if (!menu.contains(/** @type {Node} */ (target))) menu.open = false;
  });
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
  // A choice: a button, or a field that is pressed; the arrow keys, whose clicks count none, go on choosing.
  addEventListener('click', ({ target, detail }) => {
    const chosen = /** @type {Element} */ (target);
    const menu = chosen.closest(detail ? CHOICE : 'button')?.closest('details.menu');
    if (menu) /** @type {HTMLDetailsElement} */ (menu).open = false;
  });
}
