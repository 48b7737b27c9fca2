import { Module } from '@nestjs/common';
import { Applications } from './applications.service.js';
import { Lessons } from './lessons.service.js';
import { MemoryController } from './memory.controller.js';
import { MemoryRepository } from './memory.repository.js';
import { MemoryGrounds } from './memory-grounds.service.js';
import { MemoryReadingRepository } from './memory-reading.repository.js';
import { MemoryReading } from './memory-reading.service.js';
import { MemorySourceRepository } from './memory-source.repository.js';
import { OrgEntries } from './org-entries.service.js';
import { Remembering } from './remembering.service.js';

@Module({
  controllers: [MemoryController],
  providers: [
    MemoryRepository,
    MemoryReadingRepository,
    MemorySourceRepository,
    MemoryGrounds,
    Remembering,
    MemoryReading,
    Lessons,
    OrgEntries,
    Applications,
  ],
  exports: [MemoryReading, MemoryGrounds, Remembering, Lessons, OrgEntries, Applications],
})
export class MemoryModule {}
