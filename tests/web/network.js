// The network of a browser in tests: a proxy at which huggingface.co and its store, with TLS, are the hub of the tests,
// and at which there is nothing else.
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { TLSSocket, createSecureContext } from 'node:tls';
import { HUB, STORE } from '../hub.js';

/** A browser's proxy, as playwright has it. @typedef {{server: string, bypass: string}} Proxy */

/** @param {Awaited<ReturnType<typeof import('../hub.js').startHub>>} hub */
export async function startNetwork(hub) {
  const secureContext = createSecureContext(certificate());
  const ports = new Map(
    [
      [HUB, hub.endpoint],
      [STORE, hub.store],
    ].map(([real, local]) => [`${new URL(real).host}:443`, Number(new URL(local).port)]),
  );
  /** @type {Set<import('node:stream').Duplex>} */
  const open = new Set();
  const server = createServer((_, response) => void response.writeHead(502).end());
  server.on('connect', ({ url }, socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    const port = ports.get(String(url));
    if (!port) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const secure = new TLSSocket(/** @type {import('node:net').Socket} */ (socket), { isServer: true, secureContext });
    const plain = connect(port, '127.0.0.1').on('error', () => socket.destroy());
    secure.on('error', () => plain.destroy()).pipe(plain);
    plain.pipe(secure).on('close', () => plain.destroy());
    plain.on('close', () => socket.destroySoon?.());
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    proxy: { server: `http://127.0.0.1:${port}`, bypass: '127.0.0.1,localhost' },
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** Whom to trust is for the tests to say: a certificate that signs itself (RFC 5280, section 4.1; X.690 for DER). */
function certificate() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  /** @param {number} tag @param {(Buffer | string)[]} parts */
  const der = (tag, ...parts) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const { length } = body;
    const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
    return Buffer.concat([Buffer.from([tag, ...size]), body]);
  };
  const SEQUENCE = 0x30;
  const ecdsa = der(SEQUENCE, der(6, Buffer.from('2a8648ce3d040302', 'hex')));
  const commonName = der(SEQUENCE, der(6, Buffer.from([0x55, 4, 3])), der(12, 'tests'));
  const name = der(SEQUENCE, der(0x31, commonName));
  const validity = der(SEQUENCE, der(23, '200101000000Z'), der(23, '491231235959Z'));
  const version = der(0xa0, der(2, Buffer.from([2])));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const signed = der(SEQUENCE, version, der(2, Buffer.from([1])), ecdsa, name, validity, name, spki);
  const bits = der(3, Buffer.from([0]), sign('sha256', signed, privateKey));
  const base64 = der(SEQUENCE, signed, ecdsa, bits).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}
