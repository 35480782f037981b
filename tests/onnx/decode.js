// Reads an ONNX file, by protobuf's rules and the numbers of the fields in onnx.proto, apart from what writes it.

/** @typedef {Map<number, (bigint | number | Uint8Array)[]>} Message values by field */

/** @param {Uint8Array} bytes @returns {Message} */
export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** @type {Message} */
  const found = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const [id, wire] = [key >>> 3, key & 7];
    let value;
    if (wire === 0) value = varint();
    else if (wire === 5) {
      value = view.getFloat32(at, true);
      at += 4;
    } else if (wire === 2) {
      const length = Number(varint());
      if (at + length > bytes.length) throw new RangeError(`field ${id} ends beyond its message`);
      value = bytes.subarray(at, at + length);
      at += length;
    } else throw new TypeError(`wire type ${wire}`);
    found.set(id, [...(found.get(id) ?? []), value]);
  }
  return found;
}

const text = (/** @type {any} */ bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
const texts = (/** @type {Message} */ message, /** @type {number} */ id) => (message.get(id) ?? []).map(text);
const numbers = (/** @type {Message} */ message, /** @type {number} */ id) => (message.get(id) ?? []).map(Number);
const messages = (/** @type {Message} */ message, /** @type {number} */ id) =>
  (message.get(id) ?? []).map((bytes) => decode(/** @type {any} */ (bytes)));
const pairs = (/** @type {Message} */ message, /** @type {number} */ id, /** @type {(of: any) => any} */ read) =>
  Object.fromEntries(messages(message, id).map((each) => [text(each.get(1)?.[0]), read(each.get(2)?.[0])]));

/** ValueInfoProto: name, element type and dimensions. @param {Message} message */
function valueInfo(message) {
  const [type] = messages(messages(message, 2)[0], 1);
  const dims = messages(messages(type, 2)[0], 1).map((dim) => texts(dim, 2)[0] ?? numbers(dim, 1)[0]);
  return { name: texts(message, 1)[0], type: numbers(type, 1)[0], dims };
}

/** A ModelProto as plain data. @param {Uint8Array} file */
export function readOnnx(file) {
  const model = decode(file);
  const [graph] = messages(model, 7);
  return {
    ir: numbers(model, 1)[0],
    opsets: pairs(model, 8, Number),
    metadata: pairs(model, 14, text),
    inputs: messages(graph, 11).map(valueInfo),
    outputs: messages(graph, 12).map(valueInfo),
    initializers: messages(graph, 5).map((each) => ({
      name: texts(each, 8)[0],
      dims: numbers(each, 1),
      type: numbers(each, 2)[0],
      bytes: /** @type {Uint8Array} */ (each.get(9)?.[0]),
    })),
    nodes: messages(graph, 1).map((each) => ({
      name: texts(each, 3)[0],
      type: texts(each, 4)[0],
      inputs: texts(each, 1),
      outputs: texts(each, 2),
      attributes: messages(each, 5).map((one) => ({
        name: texts(one, 1)[0],
        type: numbers(one, 20)[0],
        integer: one.get(3)?.[0] !== undefined ? BigInt.asIntN(64, /** @type {bigint} */ (one.get(3)?.[0])) : undefined,
      })),
    })),
  };
}
