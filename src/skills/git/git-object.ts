import { createHash } from 'node:crypto';

export type ObjectFormat = 'sha1' | 'sha256';
export type ObjectKind = 'commit' | 'tree' | 'blob';

/** A git object: its id in hex, and its bytes without git's header. */
export interface GitObject {
  readonly id: string;
  readonly content: Buffer;
}

export function objectId(kind: ObjectKind, content: Buffer, format: ObjectFormat): string {
  return createHash(format).update(`${kind} ${content.length}\0`).update(content).digest('hex');
}

/** The id that git gives to a file with these bytes. */
export function blobId(bytes: string | Buffer, format: ObjectFormat): string {
  return objectId('blob', Buffer.from(bytes), format);
}
