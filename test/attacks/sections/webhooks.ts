import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOSTILE } from '../../support/webhook-addresses.js';
import { attempt, type Section } from '../attack.js';

const DELIVERY_MS = 3_000;

/** Webhooks to addresses inside: a server that listens on this machine must not get a connection. */
export const section: Section = {
  name: 'webhooks',
  async *attempts(server) {
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address: AddressInfo | string | null = listener.address();
    if (address === null || typeof address === 'string') throw new Error('the listener has no port');
    const { port } = address;
    try {
      const token = server.adminToken;
      const accepted: string[] = [];
      for (const hostile of HOSTILE)
        for (const url of [hostile, hostile.replace(/^http:/, 'https:'), withPort(hostile, port)]) {
          const { status } = await server.call('POST', '/v1/webhooks', { token, body: { url } });
          if (status < 300) accepted.push(url);
          // A name is resolved only when a message is sent, so accepting one is not yet a connection.
          yield attempt(`a webhook to ${url}`, status >= 400 || isName(url), String(status));
        }
      await server.agent('makes an event');
      await server.propose({ name: 'Close the books', description: 'Use at month end.', body: 'Run `books close`.' });
      await sleep(DELIVERY_MS);
      yield attempt(
        'a message reaches this machine',
        connections === 0,
        `${connections} connections, ${accepted.length} names accepted`,
      );
    } finally {
      listener.close();
    }
  },
};

function withPort(address: string, port: number): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.protocol === 'http:') [url.protocol, url.port] = ['https:', String(port)];
  return url.href;
}

function isName(address: string): boolean {
  return URL.canParse(address) && /[a-z]/.test(new URL(address).hostname) && !new URL(address).hostname.startsWith('[');
}
