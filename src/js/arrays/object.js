import { GlassformerError } from '../errors.js';
import { isNamed } from './names.js';

/**
 * Restores the class name after minification, and makes every method reject extra arguments.
 * @template {object} T
 * @param {{prototype: T}} Class
 * @param {string} name
 * @param {(self: T) => object} facts
 * @param {boolean} [strict] its methods take tensors, not named arguments
 */
export function present(Class, name, facts, strict = false) {
  const inspect = Symbol.for('nodejs.util.inspect.custom');
  Object.defineProperty(Class, 'name', { value: name });
  Object.defineProperties(Class.prototype, {
    [Symbol.toStringTag]: { value: name, configurable: true },
    [inspect]: {
      /**
       * @this {T}
       * @param {number} depth @param {object} options @param {(value: unknown, options: object) => string} show
       */
      value(depth, options, show) {
        // The prototype is asked too, and has none.
        return depth < 0 || this === Class.prototype ? `[${name}]` : `${name} ${show(facts(this), options)}`;
      },
    },
  });
  // `using` calls this symbol. Older browsers lack it, and compilers for them take the other one.
  const dispose = /** @type {any} */ (Symbol).dispose ?? Symbol.for('Symbol.dispose');
  const { free } = /** @type {any} */ (Class.prototype);
  if (free) Object.defineProperty(Class.prototype, dispose, { value: free, configurable: true });
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Class.prototype))) {
    if (typeof value !== 'function' || key === 'constructor') continue;
    const most = Math.max(1, value.length);
    const method = {
      /** @this {T} @param {unknown[]} values */
      [key](...values) {
        const surplus = values.length > most && values.slice(most).some((each) => each !== undefined);
        const refuse = (/** @type {string} */ why) => {
          throw new GlassformerError('unknown', 'arguments', values.length, `${key} takes ${most}${why}`);
        };
        if (surplus && isNamed(values[0])) refuse(', with all names in it');
        const result = value.apply(this, values);
        // Afterwards, as what else is wrong says more.
        if (surplus && strict && !(result instanceof Promise)) refuse('');
        return result;
      },
    };
    Object.defineProperty(Class.prototype, key, { value: method[key], configurable: true, writable: true });
  }
}

/**
 * Makes a result to await for the whole, or to iterate over for its steps; either begins the work. `soon`: without a
 * loop, the work begins in the next microtask, as others may wait for its effects.
 * @param {() => Promise<any>} finish
 * @param {() => AsyncIterator<any>} steps
 * @param {boolean} [soon]
 * @returns {any}
 */
export function awaitedOrLooped(finish, steps, soon = false) {
  /** @type {Promise<any> | undefined} */
  let whole;
  const begin = () => (whole ??= finish());
  let isLooped = !soon;
  queueMicrotask(() => isLooped || begin());
  return {
    then: (/** @type {any[]} */ ...on) => begin().then(...on),
    catch: (/** @type {any} */ on) => begin().catch(on),
    finally: (/** @type {any} */ on) => begin().finally(on),
    [Symbol.asyncIterator]() {
      isLooped = true;
      return steps();
    },
  };
}
