import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../base/canonical-json.js';

/** Bytes that the process holds and that are the same for everyone, compressed once. */
export interface StoredFile {
  readonly type: string;
  /** Hash of the bytes, without quotes. */
  readonly hash: string;
  readonly bytes: Readonly<{ identity: Buffer | string; gzip?: Buffer; br?: Buffer }>;
}

/** Compresses the bytes beside the event loop. */
export async function storeFile(type: string, identity: Buffer): Promise<StoredFile> {
  return { type, hash: sha256(identity), bytes: { identity, gzip: await promisify(gzip)(identity) } };
}

/** Sends a file in the best encoding that the caller accepts, or 304 if the caller has it. */
export async function sendStoredFile(
  reply: FastifyReply,
  headers: FastifyRequest['headers'],
  { type, hash, bytes }: StoredFile,
  cacheControl = 'public, no-cache',
): Promise<void> {
  const encoding = (['br', 'gzip'] as const).find(
    (name) => bytes[name] !== undefined && itemsOf(headers['accept-encoding']).includes(name),
  );
  // Each encoding has its own bytes, so it has its own strong ETag.
  const etag = encoding === undefined ? `"${hash}"` : `"${hash}-${encoding}"`;
  void reply.headers({ etag, 'cache-control': cacheControl });
  if (Object.keys(bytes).length > 1) void reply.header('vary', 'accept-encoding');
  if (isKnown(headers['if-none-match'], etag)) return void (await reply.status(304).send());
  if (encoding !== undefined) void reply.header('content-encoding', encoding);
  await reply.type(type).send(bytes[encoding ?? 'identity']);
}

/** True if a caller that sends this `If-None-Match` has the bytes of the ETag. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  itemsOf(ifNoneMatch).some((candidate) => candidate === '*' || candidate.replace(/^W\//, '') === etag);

const itemsOf = (header = ''): string[] => header.split(',').map((item) => item.trim());
