import { Readable } from 'node:stream';
import { Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { AlsoReturns, ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import {
  InclusionProof,
  JournalCheckpoint,
  JournalExportQuery,
  JournalPage,
  JournalQuery,
  JournalSeq,
  JournalVerification,
  StoredEntry,
} from './journal.schema.js';
import { Journal } from './journal.service.js';
import { JournalAudit } from './journal-audit.service.js';

const JSON_LINES = 'application/x-ndjson';

@ApiController('journal', 'v1/journal')
export class JournalController {
  constructor(
    private readonly journal: Journal,
    private readonly audit: JournalAudit,
  ) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'List journal entries: who did what, in order' })
  @Returns(200, JournalPage)
  listJournalEntries(@Query({ schema: JournalQuery }) query: JournalQuery): Promise<JournalPage> {
    return this.journal.list(query);
  }

  @Get('verification')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Verify the hash chain against every signed head and report the first broken entry' })
  @Returns(200, JournalVerification)
  verifyJournal(): Promise<JournalVerification> {
    return this.audit.verify();
  }

  @Get('checkpoint')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Get the newest signed head (C2SP tlog-checkpoint); store it elsewhere' })
  @Returns(200, JournalCheckpoint)
  @Refuses(404, 'journal.not_signed')
  getJournalCheckpoint(): Promise<JournalCheckpoint> {
    return this.audit.checkpoint();
  }

  @Get('export')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({
    summary: 'Export the stored rows, one JSON object per line, oldest first; an empty response means the end',
  })
  @AlsoReturns(200, 'One line per row', StoredEntry, JSON_LINES)
  async exportJournal(
    @Res() reply: FastifyReply,
    @Query({ schema: JournalExportQuery }) query: JournalExportQuery,
  ): Promise<void> {
    await reply.type(JSON_LINES).send(Readable.from(this.audit.exportLines(query)));
  }

  @Get(':seq/proof')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Prove that the newest signed head covers an entry (RFC 6962)' })
  @Returns(200, InclusionProof)
  @Refuses(404, 'journal.no_entry', 'journal.not_signed')
  getJournalProof(@Param('seq', { schema: JournalSeq }) seq: number): Promise<InclusionProof> {
    return this.audit.prove(seq);
  }
}
