import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of ids and secrets. */
export abstract class Ids {
  abstract uuid(): string;
  /** `bytes` random bytes as URL-safe text without padding. */
  abstract secret(bytes: number): string;
  /** `bytes` random bytes as hex, for the fence around untrusted text. */
  abstract nonce(bytes: number): string;
}

export class RandomIds extends Ids {
  uuid(): string {
    return randomUUID();
  }
  secret(bytes: number): string {
    return randomBytes(bytes).toString('base64url');
  }
  nonce(bytes: number): string {
    return randomBytes(bytes).toString('hex');
  }
}
