// ONNX models in protobuf's wire format: the few messages of onnx.proto (github.com/onnx/onnx) that graphs of weights
// need. Not by a library: those copy a nested message at each level that it is nested in, and weights are nested in
// three. Here a message is a list of parts, and each weight is copied once, into the file.

/**
 * Parts to be written one after the other: bytes, or messages of their own.
 * @typedef {{length: number, parts: (Uint8Array | Message)[]}} Message
 */

/** @typedef {Float32Array | Float64Array | BigInt64Array} Data */

/** A size, or the name of one that each call may choose. @typedef {number | string} Dim */

/** TensorProto.DataType. */
const TYPES = { float: 1, int64: 7, bool: 9, double: 11 };
/** @typedef {keyof typeof TYPES} ElementType */

const utf8 = new TextEncoder();

/** @param {number | bigint} value @returns {number[]} */
function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 127n) | 128);
  }
}

/** @param {(Uint8Array | Message)[]} parts @returns {Message} */
const message = (...parts) => ({ parts, length: parts.reduce((sum, { length }) => sum + length, 0) });

/**
 * A field: an integer, a text, or the bytes of a message.
 * @param {number} id
 * @param {number | bigint | string | Uint8Array | Message} value
 * @returns {Uint8Array | Message}
 */
function field(id, value) {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return Uint8Array.from([...varint(id << 3), ...varint(value)]);
  }
  const bytes = typeof value === 'string' ? utf8.encode(value) : value;
  return message(Uint8Array.from([...varint((id << 3) | 2), ...varint(bytes.length)]), bytes);
}

/** @param {number} id @param {Iterable<number | bigint | string | Message>} values */
const fields = (id, values) => message(...Array.from(values, (value) => field(id, value)));

/** A field of four bytes. @param {number} id @param {number} value */
const float = (id, value) => message(Uint8Array.of((id << 3) | 5), new Uint8Array(Float32Array.of(value).buffer));

/**
 * Numbers are integers, as arrays too; a float says so.
 * @typedef {number | readonly number[] | string | {float: number}} Attribute
 */

/** AttributeProto. @param {string} name @param {Attribute} value */
function attribute(name, value) {
  if (typeof value === 'number') return message(field(1, name), field(3, value), field(20, 2));
  if (typeof value === 'string') return message(field(1, name), field(4, value), field(20, 3));
  if ('float' in value) return message(field(1, name), float(2, value.float), field(20, 1));
  return message(field(1, name), fields(8, value), field(20, 7));
}

/** @param {Data} data @returns {ElementType} */
const typeOf = (data) => (data instanceof Float32Array ? 'float' : data instanceof Float64Array ? 'double' : 'int64');

/** TensorProto. @param {string} name @param {readonly number[]} dims @param {Data} data */
const tensor = (name, dims, data) =>
  message(
    fields(1, dims),
    field(2, TYPES[typeOf(data)]),
    field(8, name),
    field(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );

/** ValueInfoProto. @param {string} name @param {readonly Dim[]} dims @param {ElementType} type */
function valueInfo(name, dims, type) {
  const shape = dims.map((dim) => message(field(typeof dim === 'number' ? 1 : 2, dim)));
  return message(
    field(1, name),
    field(2, message(field(1, message(field(1, TYPES[type]), field(2, fields(1, shape)))))),
  );
}

/**
 * @param {Message} from
 * @param {Uint8Array} to
 * @param {number} at
 * @returns {number} where it ends
 */
function write({ parts }, to, at) {
  for (const part of parts) {
    if ('parts' in part) at = write(part, to, at);
    else {
      to.set(part, at);
      at += part.length;
    }
  }
  return at;
}

/** Builds a graph node by node. Data are read when `bytes` is called. */
export class Graph {
  /** @type {Message[]} */
  #nodes = [];
  /** @type {Message[]} */
  #initializers = [];
  /** @type {Message[]} */
  #inputs = [];
  /** @type {Message[]} */
  #outputs = [];
  #count = 0;

  /** @param {string} name @param {readonly Dim[]} dims @param {ElementType} [type] */
  input(name, dims, type = 'float') {
    this.#inputs.push(valueInfo(name, dims, type));
    return name;
  }

  /** @param {string} name @param {readonly Dim[]} dims */
  output(name, dims) {
    this.#outputs.push(valueInfo(name, dims, 'float'));
  }

  /** Adds a fixed tensor. @param {readonly number[]} dims @param {Data} data @param {string} [name] */
  constant(dims, data, name = `constant_${this.#count++}`) {
    this.#initializers.push(tensor(name, dims, data));
    return name;
  }

  /** @param {...number} values */
  integers(...values) {
    return this.constant([values.length], BigInt64Array.from(values, BigInt));
  }

  /**
   * @param {string} type `Add`, or of another domain `com.microsoft.Attention`
   * @param {readonly string[]} inputs
   * @param {Record<string, Attribute>} [attributes]
   * @param {string | readonly string[]} [outputs] its names
   * @returns {string} the name of its first output
   */
  node(type, inputs, attributes = {}, outputs = `${type}_${this.#count++}`) {
    const names = [outputs].flat();
    const dot = type.lastIndexOf('.');
    this.#nodes.push(
      message(
        fields(1, inputs),
        fields(2, names),
        field(3, names[0]),
        field(4, type.slice(dot + 1)),
        fields(
          5,
          Object.entries(attributes).map(([name, value]) => attribute(name, value)),
        ),
        field(7, type.slice(0, Math.max(dot, 0))),
      ),
    );
    return names[0];
  }

  /**
   * The ModelProto.
   * @param {{name: string, ir: number, opsets: Record<string, number>, metadata?: Record<string, string>}} about
   *   ir: version of the format; opsets: of the operators, by domain, '' the standard one
   * @returns {Message}
   */
  model({ name, ir, opsets, metadata = {} }) {
    const graph = message(
      fields(1, this.#nodes),
      field(2, name),
      fields(5, this.#initializers),
      fields(11, this.#inputs),
      fields(12, this.#outputs),
    );
    /** @param {number} id @param {Record<string, number | string>} entries */
    const pairs = (id, entries) =>
      fields(
        id,
        Object.entries(entries).map(([key, value]) => message(field(1, key), field(2, value))),
      );
    return message(field(1, ir), field(2, 'glassformer'), field(7, graph), pairs(8, opsets), pairs(14, metadata));
  }
}

/** The file. @param {Message} model @returns {Uint8Array<ArrayBuffer>} */
export function bytesOf(model) {
  const bytes = new Uint8Array(model.length);
  write(model, bytes, 0);
  return bytes;
}
