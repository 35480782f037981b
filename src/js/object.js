/**
 * Base of the objects that a user holds. Their numbers lie in the engine's memory, so that they cannot be copied:
 * structuredClone and postMessage throw DataCloneError, where an object of private fields would come out as {}. To
 * that end each is made as a WeakSet is, without being one to anybody.
 */
export class Held {
  constructor() {
    return Reflect.construct(WeakSet, [], new.target);
  }
}

/**
 * Gives a class its name for people, whatever a minifier makes of it: in Node's console and in messages, with facts.
 * @template {object} T
 * @param {{prototype: T}} Class
 * @param {string} name
 * @param {(self: T) => object} facts
 */
export function present(Class, name, facts) {
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
}
