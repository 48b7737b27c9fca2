import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ServerProcesses } from '../platform/background/server-processes.service.js';
import { startError } from '../platform/start/start.errors.js';
import { JournalKey } from './journal-key.service.js';

/**
 * Admits this process to those of its database. All of them sign the journal with one key: with two, each would take
 * the signatures of the other for those of a stranger.
 */
@Injectable()
export class SharedKey implements OnModuleInit {
  constructor(
    private readonly key: JournalKey,
    private readonly processes: ServerProcesses,
  ) {}

  /** Throws StartError beside a process with another key. */
  async onModuleInit(): Promise<void> {
    await this.key.load();
    // Name and hash, as checkpoints name their signer.
    const own = this.key.ownVerifierKey().split('+').slice(0, 2).join('+');
    const other = await this.processes.join(own);
    if (other === undefined) return;
    const process = `${other.host}, process ${other.pid}`;
    throw startError('key.other', { own, other: other.journalKey ?? 'unknown', process });
  }
}
