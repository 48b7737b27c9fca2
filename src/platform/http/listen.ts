import { createServer, type Server } from 'node:net';
import type { HttpAdapterHost } from '@nestjs/core';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { reasonOf, startError } from '../start/start.errors.js';

const ASKING_MS = 2_000;
/** Of the answers of a ready and of an unavailable Guildbook. */
const Guildbook = z.union([
  z.object({ status: z.enum(['ready', 'degraded']), roles: z.string(), progress: z.looseObject({}) }),
  z.object({ type: z.string().startsWith('urn:guildbook:problem:') }),
]);
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/**
 * Throws StartError if the server could not listen. Called before anything else of a start, so that a second Guildbook
 * neither creates a database nor starts its jobs first.
 */
export async function requireFreeAddress(address: Pick<Config, 'host' | 'port'>): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      const server = createServer();
      server.once('error', reject);
      server.listen(address.port, address.host, () => server.close(() => resolve()));
    });
  } catch (error) {
    throw await listenError(error, address);
  }
}

/** The address of a server: once it listens, with its real port, which differs from the setting if that is 0. */
export const listeningAddress = ({ host, port }: Pick<Config, 'host' | 'port'>, server: HttpAdapterHost) => ({
  host,
  get port(): number {
    const address = httpServer(server)?.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  },
});

const httpServer = ({ httpAdapter }: HttpAdapterHost): Server | undefined => httpAdapter?.getHttpServer();

/** The error for an address that the server could not listen on; other errors as they are. */
export async function listenError(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): Promise<unknown> {
  const reason = reasonOf(error);
  const options = { cause: error };
  const details = { host, port: String(port) };
  switch (reason) {
    case 'EADDRINUSE':
      return startError((await isGuildbook(host, port)) ? 'port.in_use_by_guildbook' : 'port.in_use', details, options);
    case 'EACCES':
      return startError('port.forbidden', details, options);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return startError('address.unavailable', { host, reason }, options);
    default:
      return error;
  }
}

async function isGuildbook(host: string, port: number): Promise<boolean> {
  const name = EVERY_ADDRESS.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/readyz`, { signal: AbortSignal.timeout(ASKING_MS) });
    return Guildbook.safeParse(await answer.json()).success;
  } catch {
    return false;
  }
}
