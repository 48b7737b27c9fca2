import { Module } from '@nestjs/common';
import { Applications } from './applications.service.js';
import { Lessons } from './lessons.service.js';
import { MemoryController } from './memory.controller.js';
import { MemoryRepository } from './memory.repository.js';
import { OrgEntries } from './org-entries.service.js';

@Module({
  controllers: [MemoryController],
  providers: [MemoryRepository, Lessons, OrgEntries, Applications],
  exports: [Lessons, OrgEntries, Applications],
})
export class MemoryModule {}
