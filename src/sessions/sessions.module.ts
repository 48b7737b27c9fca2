import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { NoteComparison } from '../memory/lessons/note-comparison.service.js';
import { MemoryModule } from '../memory/memory.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { RecallModule } from '../recall/recall.module.js';
import { SessionMemoryController } from './session-memory.controller.js';
import { AgentSessionRepository } from './store/agent-session.repository.js';
import { EntryAccess } from './store/entry-access.service.js';
import { EntryVectors } from './store/entry-vectors.service.js';
import { EntryWriter } from './store/entry-writer.service.js';
import { noteComparer } from './store/note-statement.js';
import { SessionEntryRepository } from './store/session-entry.repository.js';
import { SessionLifecycle } from './store/session-lifecycle.service.js';
import { SessionMemoryReader } from './store/session-memory-reader.service.js';
import { ModelSummaries } from './summaries/model-summaries.service.js';
import { SessionReportRepository } from './summaries/session-report.repository.js';
import { SessionSummaries } from './summaries/session-summaries.service.js';

@Module({
  imports: [AccessModule, MemoryModule, ProposeModule, RecallModule],
  controllers: [SessionMemoryController],
  providers: [
    ...[SessionEntryRepository, AgentSessionRepository, EntryAccess, EntryVectors],
    ...[EntryWriter, SessionLifecycle, SessionMemoryReader],
    ...[SessionReportRepository, SessionSummaries, ModelSummaries],
  ],
  exports: [EntryWriter, SessionMemoryReader, SessionLifecycle, SessionSummaries],
})
export class SessionsModule {
  constructor(comparison: NoteComparison) {
    comparison.use(noteComparer());
  }
}
