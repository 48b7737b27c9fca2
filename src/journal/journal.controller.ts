import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { AlsoReturns, Returns } from '../platform/http/returns.decorator.js';
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

@ApiTags('journal')
@ApiBearerAuth()
@Controller('v1/journal')
export class JournalController {
  constructor(
    private readonly journal: Journal,
    private readonly audit: JournalAudit,
  ) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Who did what, in order' })
  @Returns(200, JournalPage)
  list(@Query({ schema: JournalQuery }) query: JournalQuery): Promise<JournalPage> {
    return this.journal.list(query);
  }

  @Get('verification')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Walk the hash chain, compare it with every signed head, and say where it breaks' })
  @Returns(200, JournalVerification)
  verify(): Promise<JournalVerification> {
    return this.audit.verify();
  }

  @Get('checkpoint')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The newest signed head (C2SP tlog-checkpoint): keep it elsewhere' })
  @Returns(200, JournalCheckpoint)
  checkpoint(): Promise<JournalCheckpoint> {
    return this.audit.checkpoint();
  }

  @Get('export')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({
    summary: 'The rows as they are stored, one JSON object a line, from the oldest on; ends with no line',
  })
  @AlsoReturns(200, 'A line for each row', StoredEntry, JSON_LINES)
  async export(
    @Res() reply: FastifyReply,
    @Query({ schema: JournalExportQuery }) query: JournalExportQuery,
  ): Promise<void> {
    const entries = await this.audit.export(query);
    await reply.type(JSON_LINES).send(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  }

  @Get(':seq/proof')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Proof that one entry is under the newest signed head (RFC 6962)' })
  @Returns(200, InclusionProof)
  prove(@Param('seq', { schema: JournalSeq }) seq: number): Promise<InclusionProof> {
    return this.audit.prove(seq);
  }
}
