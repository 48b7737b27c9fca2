import { Module } from '@nestjs/common';
import { MemoryRepository } from './memory.repository.js';
import { OrgMemoryWriter } from './org-memory-writer.service.js';

/** Separate from MemoryModule, so that importing memory never makes the writer of org memory available. */
@Module({ providers: [MemoryRepository, OrgMemoryWriter], exports: [OrgMemoryWriter] })
export class OrgMemoryModule {}
