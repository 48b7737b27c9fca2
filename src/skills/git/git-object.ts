import { createHash } from 'node:crypto';

export type ObjectFormat = 'sha1' | 'sha256';
export type ObjectKind = 'commit' | 'tree' | 'blob';

/** An object of git: its id in hex, and its bytes without what git writes before them. */
export interface GitObject {
  readonly id: string;
  readonly content: Buffer;
}

export function objectId(kind: ObjectKind, content: Buffer, format: ObjectFormat): string {
  return createHash(format).update(`${kind} ${content.length}\0`).update(content).digest('hex');
}

/** The name that git gives to a file with these bytes. */
export function blobId(bytes: string | Buffer, format: ObjectFormat): string {
  return objectId('blob', Buffer.from(bytes), format);
}
