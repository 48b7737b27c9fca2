import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { LessonRepository } from './lessons/lesson.repository.js';
import { Lessons } from './lessons/lessons.service.js';
import { MemoryCapacity } from './lessons/memory-capacity.service.js';
import { MemoryKeeping } from './lessons/memory-keeping.service.js';
import { MemoryWriter } from './lessons/memory-writer.service.js';
import { NoteComparison } from './lessons/note-comparison.service.js';
import { StoredLessons } from './lessons/stored-lessons.service.js';
import { TombstoneRepository } from './lessons/tombstone.repository.js';
import { Tombstones } from './lessons/tombstones.service.js';
import { WitnessRepository } from './lessons/witness.repository.js';
import { WitnessCounts } from './lessons/witness-counts.service.js';
import { MemoryController } from './memory.controller.js';
import { MemoryDerivations } from './provenance/memory-derivations.service.js';
import { MemoryEvidenceRepository } from './provenance/memory-evidence.repository.js';
import { MemoryEvidence } from './provenance/memory-evidence.service.js';
import { ProvenanceChanges } from './provenance/provenance-changes.service.js';
import { VerifierAvailability } from './provenance/verifier-availability.service.js';
import { MemoryRepository } from './store/memory.repository.js';
import { MemoryReadRepository } from './store/memory-read.repository.js';
import { MemoryReadService } from './store/memory-read.service.js';
import { MemorySourceRepository } from './store/memory-source.repository.js';
import { MemoryUse } from './store/memory-use.service.js';
import { OrgEntries } from './store/org-entries.service.js';
import { SkillPageRepository } from './store/skill-page.repository.js';
import { TombstonesController } from './tombstones.controller.js';
import { LessonSharing } from './upkeep/lesson-sharing.service.js';
import { MemoryMergesRepository } from './upkeep/memory-merges.repository.js';
import { MemoryMerges } from './upkeep/memory-merges.service.js';
import { PropagationWorker } from './upkeep/propagation-worker.service.js';
import { UpkeepController } from './upkeep/upkeep.controller.js';
import { UpkeepRepository } from './upkeep/upkeep.repository.js';
import { Upkeep } from './upkeep/upkeep.service.js';

@Module({
  imports: [AccessModule],
  controllers: [MemoryController, TombstonesController, UpkeepController],
  providers: [
    MemoryRepository,
    SkillPageRepository,
    MemoryReadRepository,
    MemorySourceRepository,
    MemoryEvidenceRepository,
    MemoryEvidence,
    ProvenanceChanges,
    VerifierAvailability,
    MemoryDerivations,
    MemoryWriter,
    NoteComparison,
    MemoryReadService,
    Lessons,
    WitnessRepository,
    WitnessCounts,
    LessonRepository,
    StoredLessons,
    TombstoneRepository,
    Tombstones,
    MemoryCapacity,
    MemoryKeeping,
    OrgEntries,
    MemoryUse,
    UpkeepRepository,
    LessonSharing,
    Upkeep,
    PropagationWorker,
    MemoryMergesRepository,
    MemoryMerges,
  ],
  exports: [
    MemoryCapacity,
    NoteComparison,
    StoredLessons,
    PropagationWorker,
    MemoryKeeping,
    MemoryReadService,
    MemoryDerivations,
    MemoryEvidence,
    ProvenanceChanges,
    VerifierAvailability,
    MemoryWriter,
    Lessons,
    WitnessCounts,
    OrgEntries,
    MemoryUse,
    MemoryMerges,
  ],
})
export class MemoryModule {}
