// The checks that replace the lines of an example, in Node and in a page: they throw if a result differs.

const plain = (value) =>
  ArrayBuffer.isView(value)
    ? [...value]
    : value instanceof Map
      ? Object.fromEntries([...value].map(([key, one]) => [key, plain(one)]))
      : Array.isArray(value)
        ? value.map(plain)
        : value && Object.getPrototypeOf(value) === Object.prototype
          ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
          : value;
/** Numbers to the digits of the same place in what is said. */
function close(value, said, digits) {
  if (typeof value === 'number' && typeof said === 'number') {
    const places = digits.get(said) ?? 0;
    return Object.is(value, said) || Math.abs(value - said) <= 0.50001 * 10 ** -places * (places > 0);
  }
  if (value && said && typeof value === 'object' && typeof said === 'object') {
    const keys = Object.keys(said);
    return keys.length === Object.keys(value).length && keys.every((key) => close(value[key], said[key], digits));
  }
  return Object.is(value, said);
}
export function is(value, text) {
  const said = new Function('return (' + text + ')')();
  const digits = new Map();
  for (const [number] of text.matchAll(/-?\d+(\.\d+)?(e-?\d+)?/g)) {
    const [, decimals = '', power = '0'] = /^-?\d+(?:\.(\d+))?(?:e(-?\d+))?$/.exec(number) ?? [];
    if (decimals || power !== '0') digits.set(Number(number), decimals.length - Number(power));
  }
  if (!close(plain(value), said, digits)) throw new Error(`${JSON.stringify(plain(value))} is not ${text}`);
}
export async function throws(run, code) {
  let thrown;
  await run().catch((error) => (thrown = error));
  if (thrown?.code !== code) throw thrown ?? new Error(`does not throw ${code}`);
}
/** Compares the printed text with the documented one; after `>`, the number must be larger. */
export function prints(values, said) {
  const [, least] = /> ([\d.]+)$/.exec(said) ?? [];
  const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(plain(value)))).join(' ');
  if (least ? values[0] <= Number(least) : text.replace(/\s/g, '') !== said.replace(/\s/g, ''))
    throw new Error(`prints ${text}, not ${said}`);
  return values;
}
