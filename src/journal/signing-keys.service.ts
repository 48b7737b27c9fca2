import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { Readiness } from '../platform/http/readiness.service.js';
import { JournalRepository } from './journal.repository.js';
import { JournalKey } from './journal-key.service.js';

/**
 * Finds out at the start whether the journal was signed with keys that this server does not know: after a restore without
 * the key, or with another one, the server signs on, but proves nothing about the entries before.
 */
@Injectable()
export class SigningKeys implements OnApplicationBootstrap {
  private readonly logger = new Logger(SigningKeys.name);
  private unknown: readonly string[] = [];

  constructor(
    private readonly database: Database,
    private readonly entries: JournalRepository,
    private readonly key: JournalKey,
    readiness: Readiness,
  ) {
    readiness.registerProblems(() =>
      this.unknown.length === 0
        ? []
        : [
            {
              code: 'journal.unknown_key',
              message: 'The journal was signed with a key that this server does not know. The log says more.',
            },
          ],
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    const signers = await this.entries.signers(this.database.client);
    this.unknown = signers.filter(({ note }) => !this.key.isTrusted(note)).map(({ signer }) => signer);
    if (this.unknown.length === 0) return;
    const own = this.key.ownVerifierKey().split('+').slice(0, 2).join('+');
    this.logger.error(
      `the journal was signed with ${this.unknown.join(', ')}, which this server does not know; it signs with ${own}. ` +
        'Stop it and start it with the key of before (GUILDBOOK_JOURNAL_KEY_FILE or GUILDBOOK_JOURNAL_KEY), or, if the ' +
        'key was changed on purpose, add the verifier key of before to GUILDBOOK_JOURNAL_TRUSTED_KEYS',
    );
  }
}
