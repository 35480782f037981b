// Views that keep elements of their own, such as a canvas, as directives of a template.

import { AsyncDirective } from 'lit-html/async-directive.js';
import { directive } from 'lit-html/directive.js';

/**
 * @typedef {{update: (data: any) => void, destroy?: () => void}} View
 * @typedef {Record<string, any>} Options what a view is made with; of its functions the latest are called
 */

/**
 * @param {(root: HTMLElement, options: any) => View} create is given its own element
 * @returns {(data: any, options?: Options) => unknown} the directive; its name must not change its options' names
 */
export function component(create) {
  return directive(
    class extends AsyncDirective {
      #root = document.createElement('div');
      /** @type {View | null} */
      #view = null;
      /** @type {any} */
      #data = null;
      /** @type {Options} */
      #options = {};

      /** @param {any} data @param {Options} [options] */
      render(data, options = {}) {
        this.#data = data;
        this.#options = options;
        // Before it stands on the page there is nothing to measure.
        if (this.#view && this.#root.isConnected) this.#view.update(data);
        else queueMicrotask(() => this.#show());
        return this.#root;
      }

      #show() {
        if (!this.isConnected) return;
        this.#view ??= create(this.#root, this.#latest());
        this.#view.update(this.#data);
      }

      /** Options that call the latest functions, and read the latest values. */
      #latest() {
        const latest = {};
        for (const name of Object.keys(this.#options))
          Object.defineProperty(latest, name, {
            enumerable: true,
            get: () => {
              const value = this.#options[name];
              return typeof value === 'function' ? (/** @type {any[]} */ ...all) => this.#options[name](...all) : value;
            },
          });
        return latest;
      }

      disconnected() {
        this.#view?.destroy?.();
        this.#view = null;
        this.#root.replaceChildren();
      }

      reconnected() {
        queueMicrotask(() => this.#show());
      }
    },
  );
}
