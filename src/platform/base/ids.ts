import { randomBytes, randomUUID } from 'node:crypto';

/** Sorts before every generated id. Start value for pages that continue after an id. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** The only source of ids and secrets. */
export abstract class Ids {
  abstract uuid(): string;
  /** `bytes` random bytes as URL-safe text without padding. */
  abstract secret(bytes: number): string;
  /** `bytes` random bytes in hex. The default of 16 suffices for the fence around untrusted text. */
  abstract nonce(bytes?: number): string;
}

export class RandomIds extends Ids {
  uuid(): string {
    return randomUUID();
  }
  secret(bytes: number): string {
    return randomBytes(bytes).toString('base64url');
  }
  nonce(bytes = 16): string {
    return randomBytes(bytes).toString('hex');
  }
}
