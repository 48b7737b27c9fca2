import { Module } from '@nestjs/common';
import { Applications } from './applications.service.js';
import { Lessons } from './lessons.service.js';
import { MemoryController } from './memory.controller.js';
import { MemoryRepository } from './memory.repository.js';
import { MemoryReadingRepository } from './memory-reading.repository.js';
import { MemoryReading } from './memory-reading.service.js';
import { OrgEntries } from './org-entries.service.js';

@Module({
  controllers: [MemoryController],
  providers: [MemoryRepository, MemoryReadingRepository, MemoryReading, Lessons, OrgEntries, Applications],
  exports: [MemoryReading, Lessons, OrgEntries, Applications],
})
export class MemoryModule {}
