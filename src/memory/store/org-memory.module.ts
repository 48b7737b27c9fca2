import { Module } from '@nestjs/common';
import { MemoryRepository } from './memory.repository.js';
import { OrgMemoryWriter } from './org-memory-writer.service.js';

/** Apart from MemoryModule, so that importing memory never brings the writer of org memory along. */
@Module({ providers: [MemoryRepository, OrgMemoryWriter], exports: [OrgMemoryWriter] })
export class OrgMemoryModule {}
