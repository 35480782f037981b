// Odd and hostile safetensors files: [what is odd, the file, the rule that it breaks or undefined where it is good,
// the reference's verdict where it is another]. The verdicts of the reference are those of the crate `safetensors`
// with serde_json 1.0.

/** A file from a header (an object, or text as it is) and its data. */
export function file(header, data = new Uint8Array(0), length) {
  const text =
    header instanceof Uint8Array ? header : Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = Buffer.alloc(8 + text.length + data.byteLength);
  bytes.writeBigUInt64LE(BigInt(length ?? text.length));
  bytes.set(text, 8);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 8 + text.length);
  return bytes;
}

/** The format's dtypes that are not read here. */
export const UNREAD = [
  'I8',
  'I16',
  'U16',
  'U32',
  'U64',
  'C64',
  'F4',
  'F6_E2M3',
  'F6_E3M2',
  'F8_E5M2',
  'F8_E4M3',
].concat(['F8_E8M0', 'F8_E4M3FNUZ', 'F8_E5M2FNUZ']);

export const entry = (dtype, shape, begin, end) => ({ dtype, shape, data_offsets: [begin, end] });

const two = Float32Array.of(1, 2);
const x = '{"dtype":"F32","shape":[2],"data_offsets":[0,8]}';
const good = { x: entry('F32', [2], 0, 8) };
/** The good file with other text for its header. */
const header = (text) => file(text, two);
/** With other text for one field of its entry. */
const field = (name, text) =>
  header(
    `{"x":{${Object.entries({ dtype: '"F32"', shape: '[2]', data_offsets: '[0,8]', [name]: text })
      .filter(([, value]) => value !== '')
      .map(([key, value]) => `"${key}":${value}`)}}}`,
  );
/** With another name for its tensor, or other text for its metadata, or a field more. */
const named = (text) => header(`{"${text}":${x}}`);
const metadata = (text) => header(`{"__metadata__":${text},"x":${x}}`);
const extra = (text) => field('extra', text);
/** Of no elements. */
const empty = (shape) => file(`{"x":{"dtype":"F32","shape":${shape},"data_offsets":[0,0]}}`);
const nested = (depth, open = '[', close = ']', inside = '') => open.repeat(depth) + inside + close.repeat(depth);
const bytes = (text) => Buffer.from(text, 'latin1');

const TAKEN = 'the reference takes it';

/** @type {[string, Uint8Array, RegExp | undefined, string?][]} */
export const FILES = [
  // ---- the file
  ['empty', new Uint8Array(0), /file: must have 8 bytes/],
  ['seven bytes', new Uint8Array(7), /file: must have 8 bytes/],
  ['a length and no more', new Uint8Array(8), /header: is no strict JSON/],
  ['a length of 0 before a header', file(good, two, 0), /header: is no strict JSON/],
  ['header beyond the end', file(good, two, 1e6), /file: the header's length must be at most/],
  ['header one byte beyond the end', file('{}', undefined, 3), /length must be at most 2, got 3/],
  ['header of 2^31 bytes', file(good, two, 2 ** 31), /length must be at most/],
  ['header of 2^32 bytes, 0 in 32 bits', file(good, two, 2 ** 32), /length must be at most/],
  ['header of 2^63 bytes', file(good, two, 2n ** 63n), /length must be at most/],
  ['header of 2^64 - 1 bytes', file(good, two).fill(255, 0, 8), /length must be at most/],
  ['header of 2^64 - 8 bytes, 0 with its 8', file(good, two, 2n ** 64n - 8n), /length must be at most/],
  ['header of 100,000,000 bytes', file(`{}${' '.repeat(1e8 - 2)}`), undefined],
  ['header of 100,000,001 bytes', file(`{}${' '.repeat(1e8 - 1)}`), /length must be at most 100000000/],
  ['a length that cuts the header', file(good, two, 20), /is no strict JSON/],
  ['a length that takes data to the header', file(good, two, JSON.stringify(good).length + 1), /is no strict JSON/],
  ['an HTML page', Buffer.from('<!DOCTYPE html>\n<html lang="en">…'), /file: is a page of HTML/],
  ['an HTML page after white space', Buffer.from('\n  <html><body>Not found</body></html>'), /file: is a page of HTML/],
  ['XML after a byte order mark', Buffer.from('\ufeff<?xml version="1.0"?><Error/>'), /file: is a page of HTML/],
  ['a pointer of Git LFS', Buffer.from('version https://git-lfs.github.com/spec/v1\n'), /is a pointer of Git LFS/],
  ['an error in JSON', Buffer.from('{"error": "Not found"}'), /is text.*Not found/],
  ['a zip file', Buffer.from('504b0304140000000800', 'hex'), /length must be at most/],
  ['no tensor', file('{}'), undefined],
  ['no tensor, but data', file('{}', two), /file: the tensors have 0 bytes of data/],
  ['metadata alone', file('{"__metadata__":{"a":"b"}}'), undefined],

  // ---- JSON
  ['the good file', file(good, two), undefined],
  ['a header of 60 bytes, which is < in ASCII', header(`{"x":${x}}`.padEnd(60)), undefined],
  [
    'white space of all four kinds',
    header(` \t\r\n{ "x" :\n{ "dtype":"F32" , "shape" : [ 2 ],
    "data_offsets"\t:[0 ,8 ] } } \r\n\t`),
    undefined,
  ],
  ['leading white space', header(` {"x":${x}}`), undefined],
  ['trailing white space', header(`{"x":${x}}     `), undefined],
  ['a form feed', header(`{"x":${x}}\f`), /strict JSON/],
  ['a vertical tab', header(`\v{"x":${x}}`), /strict JSON/],
  ['a no-break space', header(`\u00a0{"x":${x}}`), /strict JSON/],
  ['a line separator', header(`{"x":${x}}\u2028`), /strict JSON/],
  ['a byte order mark', header(`\ufeff{"x":${x}}`), /strict JSON/],
  ['a zero byte at the end', header(`{"x":${x}}\0`), /strict JSON/],
  ['zero bytes for padding', file(`{}\0\0\0\0\0\0`), /strict JSON/],
  ['no JSON', header('{"x":'), /strict JSON/],
  ['white space alone', header('        '), /strict JSON/],
  ['an array', header('[]'), /header: must be a JSON object/],
  ['an array with the object', header(`[{"x":${x}}]`), /header: must be a JSON object/],
  ['null', header('null'), /header: must be a JSON object/],
  ['a number', header('17'), /header: must be a JSON object/],
  ['a string', header('"x"'), /header: must be a JSON object/],
  ['two objects', header(`{"x":${x}}{}`), /strict JSON/],
  ['an object and a comma', header(`{"x":${x}},`), /strict JSON/],
  ['a comma at the end', header(`{"x":${x},}`), /strict JSON/],
  ['a comma at the start', header(`{,"x":${x}}`), /strict JSON/],
  ['two commas', header(`{"x":${x},,"y":${x}}`), /strict JSON/],
  ['no comma', header(`{"x":${x} "y":${x}}`), /strict JSON/],
  ['no colon', header(`{"x" ${x}}`), /strict JSON/],
  ['a semicolon', header(`{"x":${x};"y":${x}}`), /strict JSON/],
  ['no value', header('{"x":}'), /strict JSON/],
  ['no closing brace', header(`{"x":${x}`), /strict JSON/],
  ['a bracket for a brace', header(`{"x":${x}]`), /strict JSON/],
  ['a brace too many', header(`{"x":${x}}}`), /strict JSON/],
  ['a bare key', header(`{x:${x}}`), /strict JSON/],
  ['a key in single quotes', header(`{'x':${x}}`), /strict JSON/],
  ['a number for a key', header(`{1:${x}}`), /strict JSON/],
  ['a comment', header(`{"x":${x}/* two */}`), /strict JSON/],
  ['a comment to the end of the line', header(`{"x":${x}} // two`), /strict JSON/],
  ['a string without an end', header(`{"x`), /strict JSON/],
  ['a string that ends in a backslash', header(`{"x\\"`), /strict JSON/],
  ['a key twice', header(`{"x":${x},"x":${x}}`), /"x" twice/, TAKEN],
  ['a key twice, once escaped', header(`{"x":${x},"\\u0078":${x}}`), /"x" twice/, TAKEN],
  ['a key twice, with other entries', header(`{"x":1,"x":${x}}`), /"x" twice/],
  ['__proto__ twice', header(`{"__proto__":${x},"__proto__":${x}}`), /"__proto__" twice/, TAKEN],
  [
    'keys that differ by normalization',
    file({ '\u00e9': entry('U8', [1], 0, 1), 'e\u0301': entry('U8', [1], 1, 2) }, Uint8Array.of(1, 2)),
    undefined,
  ],

  // ---- names
  ['an empty name', named(''), undefined],
  ['the name __proto__', named('__proto__'), undefined],
  ['the name constructor', named('constructor'), undefined],
  ['the name hasOwnProperty', named('hasOwnProperty'), undefined],
  ['a name with quotes, brackets and colons', named('\\"{[:,]}\\"\\\\'), undefined],
  ['every escape', named('\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uABcd'), undefined],
  ['an emoji', named('🙂'), undefined],
  ['an emoji, escaped', named('\\ud83d\\ude42'), undefined],
  ['a delete character', named('\x7f'), undefined],
  ['a name of 100,000 letters', named('n'.repeat(1e5)), undefined],
  ['a leading surrogate alone', named('\\ud800'), /half a surrogate pair/],
  ['a leading surrogate before a letter', named('\\ud800x'), /half a surrogate pair/],
  ['a leading surrogate before an escape', named('\\ud800\\n'), /half a surrogate pair/],
  ['a leading surrogate before a character', named('\\ud83d🙂'), /half a surrogate pair/],
  ['a trailing surrogate alone', named('\\udc00'), /half a surrogate pair/],
  ['surrogates swapped', named('\\ude42\\ud83d'), /half a surrogate pair/],
  ['two leading surrogates', named('\\ud83d\\ud83d'), /half a surrogate pair/],
  ['a pair and a half', named('\\ud83d\\ude42\\ude42'), /half a surrogate pair/],
  ['a surrogate in the metadata', metadata('{"a":"\\ud800"}'), /half a surrogate pair/],
  ['a surrogate in an unknown field', extra('"\\udfff"'), /half a surrogate pair/],
  ['a surrogate in the dtype', field('dtype', '"F32\\ud800"'), /half a surrogate pair/],
  ['an unknown escape', named('\\x41'), /strict JSON/],
  ['an escaped single quote', named("\\'"), /strict JSON/],
  ['an escape of three digits', named('\\u041'), /strict JSON/],
  ['an escape with braces', named('\\u{41}'), /strict JSON/],
  ['an escape with a sign', named('\\u+041'), /strict JSON/],
  ['a raw line break', named('\n'), /strict JSON/],
  ['a raw tab', named('\t'), /strict JSON/],
  ['a raw zero', named('\0'), /strict JSON/],
  ['the last control character, raw', named('\x1f'), /strict JSON/],
  ['a byte that is not UTF-8', header(bytes('{"\xff":1}')), /header: is no strict JSON/],
  ['a continuation byte alone', header(bytes('{"\x80":1}')), /strict JSON/],
  ['a cut character', header(bytes('{"\xe2\x82":1}')), /strict JSON/],
  ['an overlong encoding', header(bytes('{"\xc0\xaf":1}')), /strict JSON/],
  ['a surrogate in UTF-8', header(bytes('{"\xed\xa0\x80":1}')), /strict JSON/],
  ['a character beyond U+10FFFF', header(bytes('{"\xf4\x90\x80\x80":1}')), /strict JSON/],
  ['UTF-16', file(Buffer.from(`{"x":${x}}`, 'utf16le'), two), /strict JSON/],

  // ---- metadata
  ['metadata', metadata('{"a":"b","":""}'), undefined],
  ['no metadata in it', metadata('{}'), undefined],
  ['metadata after the tensors', header(`{"x":${x},"__metadata__":{"a":"b"}}`), undefined],
  ['metadata by an escaped name', header(`{"x":${x},"\\u005f_metadata__":{"a":"b"}}`), undefined],
  ['metadata null', metadata('null'), undefined],
  ['metadata a string', metadata('"a"'), /__metadata__: must be an object/],
  ['metadata a list', metadata('[]'), /__metadata__: must be an object/],
  ['metadata a number', metadata('1'), /__metadata__: must be an object/],
  ['metadata false', metadata('false'), /__metadata__: must be an object/],
  ['metadata with a number', metadata('{"a":1}'), /__metadata__.a: must be a string/],
  ['metadata with null', metadata('{"a":null}'), /__metadata__.a: must be a string/],
  ['metadata with a list', metadata('{"a":["b"]}'), /__metadata__.a: must be a string/],
  ['metadata with an object', metadata('{"a":{}}'), /__metadata__.a: must be a string/],
  ['metadata with a key twice', metadata('{"a":"1","a":"2"}'), /"a" twice/, TAKEN],
  ['metadata twice', header(`{"__metadata__":{},"__metadata__":{},"x":${x}}`), /"__metadata__" twice/],
  ['metadata like a tensor', file('{"__metadata__":{"dtype":"U8","shape":"","data_offsets":""}}'), undefined],

  // ---- entries
  ['a number for an entry', header('{"x":1}'), /x: must be an object of dtype/],
  ['null for an entry', header('{"x":null}'), /x: must be an object of dtype/],
  ['a string for an entry', header('{"x":"F32"}'), /x: must be an object of dtype/],
  ['a list with the entry', header(`{"x":[${x}]}`), /x: must be an object of dtype/],
  ['a list of the fields', header('{"x":["F32",[2],[0,8]]}'), /x: must be an object of dtype/, TAKEN],
  ['an empty entry', header('{"x":{}}'), /x: shape must list sizes/],
  ['no dtype', field('dtype', ''), /x: dtype/],
  ['no shape', field('shape', ''), /x: shape must list sizes/],
  ['no offsets', field('data_offsets', ''), /x: data_offsets must list sizes/],
  ['fields in another order', header('{"x":{"data_offsets":[0,8],"shape":[2],"dtype":"F32"}}'), undefined],
  ['a field twice', header('{"x":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}'), /"dtype" twice/],
  ['a field in capitals', header('{"x":{"Dtype":"F32","shape":[2],"data_offsets":[0,8]}}'), /x: dtype/],
  ['offsets by their former name', header('{"x":{"dtype":"F32","shape":[2],"offsets":[0,8]}}'), /x: data_offsets/],
  ['an unknown field', extra('1'), undefined],
  ['an unknown field null', extra('null'), undefined],
  ['an unknown field with a fraction', extra('-0.5e-3'), undefined],
  ['an unknown field true', extra('[true,false]'), undefined],
  ['an unknown field with objects', extra('{"a":{"b":[{"c":"d"}]}}'), undefined],
  ['an unknown field of 2^64', extra('18446744073709551616'), undefined],
  ['an unknown field of 1e-400', extra('1e-400'), undefined],
  ['an unknown field of 1e400', extra('1e400'), /1e\d+ is too large/],
  ['an unknown field of -1e999', extra('[-1e999]'), /1e\d+ is too large/],
  ['an unknown field NaN', extra('NaN'), /strict JSON/],
  ['an unknown field Infinity', extra('Infinity'), /strict JSON/],
  ['an unknown field undefined', extra('undefined'), /strict JSON/],
  ['an unknown field True', extra('True'), /strict JSON/],
  ['an unknown field __proto__', field('__proto__', '{"dtype":"U8"}'), undefined],
  ['an unknown field 125 lists deep', extra(nested(125)), undefined],
  ['an unknown field 126 lists deep', extra(nested(126)), /nested too deep/],
  ['an unknown field 125 objects deep', extra(nested(125, '{"a":', '}', '1')), undefined],
  ['an unknown field 126 objects deep', extra(nested(126, '{"a":', '}', '1')), /nested too deep/],
  ['many lists beside each other', extra(`[${Array(1000).fill('[]')}]`), undefined],
  ['a hundred thousand brackets', extra(nested(1e5)), /nested too deep/],
  ['a million brackets that are not closed', header('['.repeat(1e6)), /header: is no strict JSON/],
  ['a hundred thousand objects', extra(nested(1e5, '{"a":', '}', '1')), /nested too deep/],
  ['four million escapes', named('\\u0041\\\\'.repeat(2e6)), undefined],
  ['a million digits', extra('1'.repeat(1e6)), /1{40} is too large/],
  ['a million digits behind the point', extra(`0.${'1'.repeat(1e6)}`), undefined],
  ['a million empty lists', extra(`[${'[],'.repeat(1e6)}[]]`), undefined],
  ['two million empty lists', extra(`[${'[],'.repeat(2e6)}[]]`), /more than 1048576 values/, TAKEN],
  ['a million quotes', metadata(`{"a":"${'\\"'.repeat(1e6)}"}`), undefined],

  // ---- dtype
  ...['F32'].map((dtype) => [`dtype ${dtype}, escaped`, field('dtype', '"F\\u00332"'), undefined]),
  ['dtype in small letters', field('dtype', '"f32"'), /x: dtype/],
  ['dtype with a space', field('dtype', '"F32 "'), /x: dtype/],
  ['dtype empty', field('dtype', '""'), /x: dtype/],
  ['dtype a number', field('dtype', '5'), /x: dtype/],
  ['dtype null', field('dtype', 'null'), /x: dtype/],
  ['dtype a list', field('dtype', '["F32"]'), /x: dtype/],
  ['dtype an object', field('dtype', '{"F32":null}'), /x: dtype/, TAKEN],
  ['dtype toString', field('dtype', '"toString"'), /x: dtype/],
  ['dtype __proto__', field('dtype', '"__proto__"'), /x: dtype/],
  ['dtype torch.float32', field('dtype', '"torch.float32"'), /x: dtype/],
  ...UNREAD.flatMap((dtype) => {
    const bits = Number(/\d+/.exec(dtype));
    return [
      [`dtype ${dtype}`, file({ x: entry(dtype, [8], 0, bits) }, new Uint8Array(bits)), undefined],
      [`a byte more of ${dtype}`, file({ x: entry(dtype, [8], 0, bits + 1) }, new Uint8Array(bits + 1)), /do not span/],
    ];
  }),
  ['seven elements of four bits', file({ x: entry('F4', [7], 0, 4) }, new Uint8Array(4)), /do not span shape/],
  ['four elements of six bits', file({ x: entry('F6_E2M3', [4], 0, 3) }, new Uint8Array(3)), undefined],
  ['dtype I128', file({ x: entry('I128', [1], 0, 16) }, new Uint8Array(16)), /x: dtype must be one of .*U64/],
  ...Object.entries({ F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, I32: 4, U8: 1, BOOL: 1 }).flatMap(([dtype, size]) => [
    [`dtype ${dtype}`, file({ x: entry(dtype, [3], 0, 3 * size) }, new Uint8Array(3 * size)), undefined],
    [
      `${dtype} at an odd offset`,
      file({ a: entry('U8', [1], 0, 1), x: entry(dtype, [3], 1, 1 + 3 * size) }, new Uint8Array(1 + 3 * size)),
      undefined,
    ],
    [`no element of ${dtype}`, file({ x: entry(dtype, [0], 0, 0) }), undefined],
  ]),
  [
    'F16 in a header of an odd length',
    file(`{"x":${JSON.stringify(entry('F16', [1], 0, 2))}} `, Uint16Array.of(1)),
    undefined,
  ],

  // ---- shape
  ['a scalar', file({ x: entry('F32', [], 0, 4) }, Float32Array.of(1)), undefined],
  ['ones', field('shape', '[1,1,2,1]'), undefined],
  ['a hundred ones', field('shape', `[2${',1'.repeat(100)}]`), undefined],
  ['shape 2.0', field('shape', '[2.0]'), /x: shape must list sizes.*in digits alone/],
  ['shape 2e0', field('shape', '[2e0]'), /x: shape must list sizes/],
  ['shape 2E+0', field('shape', '[2E+0]'), /x: shape must list sizes/],
  ['shape 20e-1', field('shape', '[20e-1]'), /x: shape must list sizes/],
  ['shape 2.5', field('shape', '[2.5]'), /x: shape must list sizes/],
  ['shape +2', field('shape', '[+2]'), /strict JSON/],
  ['shape 02', field('shape', '[02]'), /strict JSON/],
  ['shape 0x2', field('shape', '[0x2]'), /strict JSON/],
  ['shape 2.', field('shape', '[2.]'), /strict JSON/],
  ['shape .2', field('shape', '[.2]'), /strict JSON/],
  ['shape 2e', field('shape', '[2e]'), /strict JSON/],
  ['shape -', field('shape', '[-]'), /strict JSON/],
  ['shape 2_0', field('shape', '[2_0]'), /strict JSON/],
  ['shape 2n', field('shape', '[2n]'), /strict JSON/],
  ['shape -2', field('shape', '[-2]'), /x: shape must list sizes/],
  ['shape -0', empty('[-0]'), /x: shape must list sizes/],
  ['shape 0', empty('[0]'), undefined],
  ['shape 0.0', empty('[0.0]'), /x: shape must list sizes/],
  ['shape 0e0', empty('[0e0]'), /x: shape must list sizes/],
  ['shape 1e-400', empty('[1e-400]'), /x: shape must list sizes/],
  ['shape 0 and others', empty('[3,0,5]'), undefined],
  ['shape 1e400', field('shape', '[1e400]'), /1e\d+ is too large/],
  ['shape as text', field('shape', '["2"]'), /x: shape must list sizes/],
  ['shape null in it', field('shape', '[null]'), /x: shape must list sizes/],
  ['shape true in it', field('shape', '[true,2]'), /x: shape must list sizes/],
  ['shape a list of lists', field('shape', '[[2]]'), /x: shape must list sizes/],
  ['shape a number', field('shape', '2'), /x: shape must list sizes/],
  ['shape text', field('shape', '"2"'), /x: shape must list sizes/],
  ['shape null', field('shape', 'null'), /x: shape must list sizes/],
  ['shape an object', field('shape', '{"0":2,"length":1}'), /x: shape must list sizes/],
  ['shape with a comma at its end', field('shape', '[2,]'), /strict JSON/],
  ['shape 2^53', field('shape', '[9007199254740992]'), /x: shape must list sizes/],
  ['shape 2^53 + 2, whose float32s would wrap to 8 bytes', field('shape', '[4611686018427387906]'), /x: shape/],
  ['shape 2^64', field('shape', '[18446744073709551616]'), /x: shape must list sizes/],
  ['shape 2^32 x 2^32', field('shape', '[4294967296,4294967296]'), /x: shape has a product beyond/],
  ['shape 2^31 x 2^31 x 2', field('shape', '[2147483648,2147483648,2]'), /x: shape has a product beyond/],
  ['shape 2^32 x 0', empty('[4294967296,0]'), /x: shape has a product beyond/, TAKEN],
  ['shape 2^16 x 2^16 x 0', empty('[65536,65536,0]'), /x: shape has a product beyond/, TAKEN],
  ['shape 2^32 x 2^32 x 0', empty('[4294967296,4294967296,0]'), /x: shape has a product beyond/],
  ['shape 0 x 2^32 x 2^32', empty('[0,4294967296,4294967296]'), undefined],
  ['shape of too few elements', field('shape', '[1]'), /x: data_offsets do not span shape/],
  ['shape of too many elements', field('shape', '[3]'), /x: data_offsets do not span shape/],
  ['shape of another product', field('shape', '[2,2]'), /x: data_offsets do not span shape/],
  ['shape 0 of data', field('shape', '[0]'), /x: data_offsets do not span shape/],

  // ---- offsets
  ...['2.0', '8e0', '-0', '0.0', '1e-400', '-1', '"0"', 'null', '0.5', '[0]'].map((text) => [
    `begin ${text}`,
    field('data_offsets', `[${text},8]`),
    /x: data_offsets must list sizes/,
  ]),
  ...['8.0', '8e0', '80e-1', '8.5', '"8"', 'true'].map((text) => [
    `end ${text}`,
    field('data_offsets', `[0,${text}]`),
    /x: data_offsets must list sizes/,
  ]),
  ['no offset', field('data_offsets', '[]'), /x: data_offsets must be \[begin, end\]/],
  ['one offset', field('data_offsets', '[0]'), /x: data_offsets must be \[begin, end\]/],
  ['three offsets', field('data_offsets', '[0,8,8]'), /x: data_offsets must be \[begin, end\]/],
  ['offsets reversed', field('data_offsets', '[8,0]'), /x: data_offsets must be \[begin, end\]/],
  ['offsets as an object', field('data_offsets', '{"0":0,"1":8}'), /x: data_offsets must list sizes/],
  ['offsets as text', field('data_offsets', '"0,8"'), /x: data_offsets must list sizes/],
  ['end 2^53 + 8', field('data_offsets', '[0,9007199254741000]'), /x: data_offsets must list sizes/],
  ['end 2^64 + 8, which is 8 in 64 bits', field('data_offsets', '[0,18446744073709551624]'), /x: data_offsets must/],
  ['end 2^32 + 8, which is 8 in 32 bits', field('data_offsets', '[0,4294967304]'), /x: data_offsets do not span/],
  ['a hole in front', file({ x: entry('F32', [1], 4, 8) }, two), /x: data must begin at 0/],
  [
    'a hole between',
    file({ x: entry('U8', [2], 0, 2), y: entry('U8', [2], 3, 5) }, new Uint8Array(5)),
    /y: data must begin at 2/,
  ],
  ['bytes left over', file({ x: entry('F32', [1], 0, 4) }, two), /file: the tensors have 4 bytes of data/],
  ['one byte left over', file(good, new Uint8Array(9)), /file: the tensors have 8 bytes of data/],
  ['one byte too few', file(good, new Uint8Array(7)), /file: the tensors have 8 bytes of data/],
  ['no data', file(good), /file: the tensors have 8 bytes of data/],
  ['beyond the end', file({ x: entry('F32', [3], 0, 12) }, two), /file: the tensors have 12 bytes of data/],
  ['an overlap', file({ x: entry('F32', [2], 0, 8), y: entry('F32', [1], 4, 8) }, two), /y: data must begin at 8/],
  [
    'one within the other',
    file({ x: entry('U8', [8], 0, 8), y: entry('U8', [2], 2, 4) }, two),
    /y: data must begin at 8/,
  ],
  ['the same place twice', file({ x: entry('F32', [2], 0, 8), y: entry('F32', [2], 0, 8) }, two), /data must begin/],
  [
    'tensors in another order than their data',
    file({ b: entry('U8', [1], 4, 5), a: entry('F32', [1], 0, 4) }, new Uint8Array(5)),
    undefined,
  ],
  [
    'an empty tensor before, between and after',
    file(
      {
        a: entry('F32', [0, 3], 0, 0),
        x: entry('F32', [2], 0, 8),
        y: entry('U8', [0], 8, 8),
        z: entry('I64', [0], 8, 8),
      },
      two,
    ),
    undefined,
  ],
  [
    'an empty tensor in the midst of another',
    file({ x: entry('F32', [2], 0, 8), y: entry('U8', [0], 4, 4) }, two),
    /y: data must begin at 8/,
  ],
  [
    'an empty tensor beyond the end',
    file({ x: entry('F32', [2], 0, 8), y: entry('U8', [0], 9, 9) }, two),
    /y: data must begin at 8/,
  ],
  [
    'a thousand tensors',
    file(
      Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`t${i}`, entry('U8', [1], i, i + 1)])),
      new Uint8Array(1000),
    ),
    undefined,
  ],
];
