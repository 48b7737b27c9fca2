import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { reasonOf, startError } from '../platform/start/start.errors.js';
import { requireWritableFolder } from '../platform/start/writable-folder.js';
import type { ChainPosition } from './chain.js';
import {
  type Checkpoint,
  isSignedBy,
  signCheckpoint,
  signPosition,
  type VerifierKey,
  verifierKey,
} from './checkpoint.js';

/**
 * The key that signs the journal. It is kept outside the database, in a file or in a setting: an owner of the database alone can
 * rewrite the journal, but cannot sign it.
 */
@Injectable()
export class JournalKey implements OnModuleInit {
  private key: KeyObject | undefined;
  private loaded: Promise<void> | undefined;
  private cachedVerifierKey: VerifierKey | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly ids: Ids,
  ) {}

  onModuleInit(): Promise<void> {
    return this.load();
  }

  /** Reads the key, or makes it at the first start. */
  load(): Promise<void> {
    this.loaded ??= this.read();
    return this.loaded;
  }

  private async read(): Promise<void> {
    const { journalKey, journalKeyFile, dataDir } = this.config;
    const file = journalKeyFile ?? join(dirname(dataDir), 'journal-key.pem');
    const key = privateKey(journalKey ?? (await readIfExists(file)) ?? (await this.create(file)));
    if (key?.asymmetricKeyType !== 'ed25519') throw startError('key.invalid', { file });
    this.key = key;
  }

  /** Returns the key with which others verify this server's signatures. */
  ownVerifierKey(): VerifierKey {
    // Cached: every signature names the key, and deriving it from the private key costs more than signing.
    this.cachedVerifierKey ??= verifierKey(this.config.journalName, createPublicKey(this.requireKey()));
    return this.cachedVerifierKey;
  }

  signCheckpoint(checkpoint: Omit<Checkpoint, 'origin'>): string {
    return signCheckpoint({ origin: this.config.journalName, ...checkpoint }, this.requireKey());
  }

  signPosition(position: ChainPosition): string {
    return signPosition(this.ownVerifierKey(), position, this.requireKey());
  }

  /** True if the note is signed by this server's key or by a trusted key of the configuration. */
  isTrusted(note: string): boolean {
    return [this.ownVerifierKey(), ...this.config.journalTrustedKeys].some((key) => isSignedBy(note, key));
  }

  private requireKey(): KeyObject {
    if (!this.key) throw new Error('the journal key is not loaded yet');
    return this.key;
  }

  /** Two servers may start at once: the first complete file wins. */
  private async create(file: string): Promise<string> {
    const made = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const own = `${file}.${this.ids.uuid()}`;
    await requireWritableFolder(
      dirname(file),
      this.config.journalKeyFile ? 'GUILDBOOK_JOURNAL_KEY_FILE' : 'GUILDBOOK_DATA_DIR',
    );
    await writeFile(own, made, { mode: 0o600, flag: 'wx' });
    try {
      await link(own, file);
      return made;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return await readFile(file, 'utf8');
    } finally {
      await rm(own);
    }
  }
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // Every error of node:fs has this type.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw startError('key.unreadable', { file, reason: reasonOf(error) }, { cause: error });
  }
}

function privateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
