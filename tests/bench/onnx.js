// ONNX models, written as protobuf's wire format: a few fields of onnx.proto, so no package is needed.

const utf8 = new TextEncoder();

/** @param {number} value */
function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 127n) | 128);
  }
}

/** A message from its fields. @param {...Uint8Array} parts */
function message(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
  return bytes;
}

/**
 * A field: an integer, a text, or the bytes of a message.
 * @param {number} id
 * @param {number | string | Uint8Array} value
 */
function field(id, value) {
  if (typeof value === 'number') return Uint8Array.from([...varint(id << 3), ...varint(value)]);
  const bytes = typeof value === 'string' ? utf8.encode(value) : value;
  return message(Uint8Array.from([(id << 3) | 2, ...varint(bytes.length)]), bytes);
}

const fields = (id, values) => message(...values.map((value) => field(id, value)));
const float = (id, value) => message(Uint8Array.of((id << 3) | 5), new Uint8Array(new Float32Array([value]).buffer));

/** AttributeProto: integers are ints, numbers with a fraction floats, arrays ints. */
function attribute(name, value) {
  if (Array.isArray(value)) return message(field(1, name), fields(8, value), field(20, 7));
  return Number.isInteger(value)
    ? message(field(1, name), field(3, value), field(20, 2))
    : message(field(1, name), float(2, value), field(20, 1));
}

/** TensorProto. @param {string} name @param {number[]} dims @param {Float32Array | BigInt64Array} data */
const tensor = (name, dims, data) =>
  message(
    fields(1, dims),
    field(2, data instanceof Float32Array ? 1 : 7),
    field(8, name),
    field(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );

/** ValueInfoProto of a float tensor. */
const valueInfo = (name, dims) =>
  message(
    field(1, name),
    field(2, field(1, message(field(1, 1), field(2, message(...dims.map((d) => field(1, field(1, d)))))))),
  );

/** Builds a graph node by node; each operation returns the name of its first output. */
export class Graph {
  #nodes = [];
  #initializers = [];
  #inputs = [];
  #count = 0;

  /** @param {string} name @param {number[]} dims */
  input(name, dims) {
    this.#inputs.push(valueInfo(name, dims));
    return name;
  }

  /** A constant. @param {number[]} dims @param {Float32Array | BigInt64Array} data */
  constant(dims, data) {
    const name = `c${this.#count++}`;
    this.#initializers.push(tensor(name, dims, data));
    return name;
  }

  /**
   * @param {string} type `Add`, or of ORT's own domain `com.microsoft.Attention`
   * @param {string[]} inputs
   * @param {Record<string, number | number[]>} [attributes]
   */
  node(type, inputs, attributes = {}) {
    const output = `t${this.#count++}`,
      dot = type.lastIndexOf('.');
    this.#nodes.push(
      message(
        fields(1, inputs),
        field(2, output),
        field(3, output),
        field(4, type.slice(dot + 1)),
        fields(
          5,
          Object.entries(attributes).map(([name, value]) => attribute(name, value)),
        ),
        field(7, type.slice(0, Math.max(dot, 0))),
      ),
    );
    return output;
  }

  /** @param {string} x @param {number[]} shape */
  reshape(x, shape) {
    return this.node('Reshape', [x, this.constant([shape.length], BigInt64Array.from(shape, BigInt))]);
  }

  /** The ModelProto whose output is named so. @param {string} output @param {number[]} dims */
  model(output, dims) {
    const graph = message(
      fields(1, this.#nodes),
      field(2, 'bench'),
      fields(5, this.#initializers),
      fields(11, this.#inputs),
      field(12, valueInfo(output, dims)),
    );
    const opset = (domain, version) => field(8, message(field(1, domain), field(2, version)));
    return message(field(1, 8), field(7, graph), opset('', 18), opset('com.microsoft', 1));
  }
}
