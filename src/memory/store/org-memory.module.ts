import { Module } from '@nestjs/common';
import { MemoryRepository } from './memory.repository.js';
import { OrgMemory } from './org-memory.service.js';

/** Apart from MemoryModule, so that importing memory never brings the writer of org memory along. */
@Module({ providers: [MemoryRepository, OrgMemory], exports: [OrgMemory] })
export class OrgMemoryModule {}
