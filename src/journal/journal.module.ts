import { Global, Module } from '@nestjs/common';
import { JournalController } from './journal.controller.js';
import { JournalRepository } from './journal.repository.js';
import { Journal } from './journal.service.js';

/** Global: every room writes to the journal, in its own transaction. */
@Global()
@Module({ controllers: [JournalController], providers: [JournalRepository, Journal], exports: [Journal] })
export class JournalModule {}
