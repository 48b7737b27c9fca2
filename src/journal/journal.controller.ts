import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/access.decorator.js';
import { Answers } from '../platform/answers.decorator.js';
import { JournalPage, JournalQuery, JournalVerification } from './journal.schema.js';
import { Journal } from './journal.service.js';

@ApiTags('journal')
@ApiBearerAuth()
@Controller('v1/journal')
export class JournalController {
  constructor(private readonly journal: Journal) {}

  @Get()
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'Who did what, in order' })
  @Answers(200, JournalPage)
  list(@Query({ schema: JournalQuery }) query: JournalQuery): Promise<JournalPage> {
    return this.journal.list(query);
  }

  @Get('verification')
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'Walk the hash chain and say where it breaks' })
  @Answers(200, JournalVerification)
  verify(): Promise<JournalVerification> {
    return this.journal.verify();
  }
}
