import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { Applications } from './applications.service.js';
import { LessonKeeping } from './lesson-keeping.service.js';
import { Lessons } from './lessons.service.js';
import { MemoryController } from './memory.controller.js';
import { MemoryRepository } from './memory.repository.js';
import { MemoryEvidenceRepository } from './memory-evidence.repository.js';
import { MemoryEvidence } from './memory-evidence.service.js';
import { MemoryGrounds } from './memory-grounds.service.js';
import { MemoryReadingRepository } from './memory-reading.repository.js';
import { MemoryReading } from './memory-reading.service.js';
import { MemorySourceRepository } from './memory-source.repository.js';
import { OrgEntries } from './org-entries.service.js';
import { Propagating } from './propagating.service.js';
import { ProvenanceChanges } from './provenance-changes.service.js';
import { Remembering } from './remembering.service.js';
import { SkillPageRepository } from './skill-page.repository.js';
import { UpkeepController } from './upkeep.controller.js';
import { UpkeepJob } from './upkeep.job.js';
import { UpkeepRepository } from './upkeep.repository.js';
import { Upkeep } from './upkeep.service.js';
import { VerifierStanding } from './verifier-standing.service.js';

@Module({
  imports: [AccessModule],
  controllers: [MemoryController, UpkeepController],
  providers: [
    MemoryRepository,
    SkillPageRepository,
    MemoryReadingRepository,
    MemorySourceRepository,
    MemoryEvidenceRepository,
    MemoryEvidence,
    ProvenanceChanges,
    VerifierStanding,
    MemoryGrounds,
    Remembering,
    MemoryReading,
    Lessons,
    LessonKeeping,
    OrgEntries,
    Applications,
    UpkeepRepository,
    Upkeep,
    Propagating,
    UpkeepJob,
  ],
  exports: [
    LessonKeeping,
    MemoryReading,
    MemoryGrounds,
    MemoryEvidence,
    VerifierStanding,
    Remembering,
    Lessons,
    OrgEntries,
    Applications,
  ],
})
export class MemoryModule {}
