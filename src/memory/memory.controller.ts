import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/access.decorator.js';
import { Answers } from '../platform/answers.decorator.js';
import { Lessons } from './lessons.service.js';
import { LessonList, LessonQuery } from './memory.schema.js';

@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/lessons')
export class MemoryController {
  constructor(private readonly lessons: Lessons) {}

  @Get()
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: "The agents' private lessons, newest first, with their provenance" })
  @Answers(200, LessonList)
  list(@Query({ schema: LessonQuery }) query: LessonQuery): Promise<LessonList> {
    return this.lessons.list(query);
  }
}
