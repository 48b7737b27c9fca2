import { Injectable, type OnModuleInit } from '@nestjs/common';
import { identifierKey, identifierReference } from '../base/identifier-reference.js';
import { Ids } from '../base/ids.js';
import { Database } from './database.js';

const KEY_NAME = 'identifiers';
const KEY_BYTES = 32;

/**
 * The references of identifiers from outside (`identifierReference`). The key is a row of the database, so that all
 * processes on it agree and a backup keeps it: with another key, an execution that is sent again would be another one.
 */
@Injectable()
export class IdentifierReferences implements OnModuleInit {
  private key: Buffer | undefined;

  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
  ) {}

  /** Reads the key. Of two processes that start on an empty database, the first one creates it. */
  async onModuleInit(): Promise<void> {
    const { client } = this.database;
    const made = this.ids.nonce(KEY_BYTES);
    await client.$executeRaw`
      INSERT INTO "installation_key" ("name", "value") VALUES (${KEY_NAME}, ${made}) ON CONFLICT ("name") DO NOTHING`;
    const [row] = await client.$queryRaw<{ value: string }[]>`
      SELECT "value" FROM "installation_key" WHERE "name" = ${KEY_NAME}`;
    const key = Buffer.from(row?.value ?? '', 'hex');
    if (key.length !== KEY_BYTES)
      throw new Error('the key of the identifiers in the table installation_key is damaged');
    this.key = key;
  }

  /** The reference under which an identifier is stored and shown. */
  of(identifier: string): string {
    return identifierReference(this.requireKey(), identifier);
  }

  /** The keyed hash of an identifier that is only compared. */
  keyOf(identifier: string): string {
    return identifierKey(this.requireKey(), identifier);
  }

  /** The key, for the threads that make references themselves. It is neither stored elsewhere nor logged. */
  get secret(): Uint8Array {
    return this.requireKey();
  }

  private requireKey(): Buffer {
    if (!this.key) throw new Error('the key of the identifiers is not loaded yet');
    return this.key;
  }
}
