import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { LessonKeeping } from './lessons/lesson-keeping.service.js';
import { Lessons } from './lessons/lessons.service.js';
import { Remembering } from './lessons/remembering.service.js';
import { MemoryController } from './memory.controller.js';
import { MemoryEvidenceRepository } from './provenance/memory-evidence.repository.js';
import { MemoryEvidence } from './provenance/memory-evidence.service.js';
import { MemoryGrounds } from './provenance/memory-grounds.service.js';
import { ProvenanceChanges } from './provenance/provenance-changes.service.js';
import { VerifierStanding } from './provenance/verifier-standing.service.js';
import { MemoryRepository } from './store/memory.repository.js';
import { MemoryReadingRepository } from './store/memory-reading.repository.js';
import { MemoryReading } from './store/memory-reading.service.js';
import { MemorySourceRepository } from './store/memory-source.repository.js';
import { MemoryUse } from './store/memory-use.service.js';
import { OrgEntries } from './store/org-entries.service.js';
import { SkillPageRepository } from './store/skill-page.repository.js';
import { Propagating } from './upkeep/propagating.service.js';
import { UpkeepController } from './upkeep/upkeep.controller.js';
import { UpkeepJob } from './upkeep/upkeep.job.js';
import { UpkeepRepository } from './upkeep/upkeep.repository.js';
import { Upkeep } from './upkeep/upkeep.service.js';

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
    MemoryUse,
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
    ProvenanceChanges,
    VerifierStanding,
    Remembering,
    Lessons,
    OrgEntries,
    MemoryUse,
  ],
})
export class MemoryModule {}
