import { Global, Module } from '@nestjs/common';
import { JournalController } from './journal.controller.js';
import { JournalRepository } from './journal.repository.js';
import { Journal } from './journal.service.js';
import { JournalAudit } from './journal-audit.service.js';
import { JournalKey } from './journal-key.service.js';
import { SharedKey } from './shared-key.service.js';
import { SigningKeys } from './signing-keys.service.js';

/** Global, because every folder writes to the journal in its own transactions. */
@Global()
@Module({
  controllers: [JournalController],
  providers: [JournalRepository, Journal, JournalKey, JournalAudit, SharedKey, SigningKeys],
  exports: [Journal, JournalKey, JournalAudit],
})
export class JournalModule {}
