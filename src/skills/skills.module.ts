import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { type Config, programPath } from '../platform/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { DecisionsInStep } from './decisions-in-step.service.js';
import { GitRepository } from './git.repository.js';
import { PublicationRepository } from './publication.repository.js';
import { PublisherJob } from './publisher.job.js';
import { Publisher } from './publisher.service.js';
import { ReconcilerJob } from './reconciler.job.js';
import { Reconciler } from './reconciler.service.js';
import { Remote } from './remote.service.js';
import { RepositoryController } from './repository.controller.js';
import { repositoryFiles } from './repository-files.js';
import { SkillEffectModule } from './skill-effect.module.js';
import { SkillsController } from './skills.controller.js';
import { Skills } from './skills.service.js';
import { WellKnownController } from './well-known.controller.js';

@Module({
  imports: [AccessModule, MemoryModule, SkillEffectModule],
  controllers: [SkillsController, RepositoryController, WellKnownController],
  providers: [
    PublicationRepository,
    {
      provide: GitRepository,
      useFactory: (config: Config) =>
        new GitRepository(config.skillsDir, {
          gitBinary: config.gitBinary,
          path: programPath(),
          generated: repositoryFiles,
        }),
      inject: [CONFIG],
    },
    Publisher,
    Remote,
    DecisionsInStep,
    Reconciler,
    ReconcilerJob,
    PublisherJob,
    Skills,
  ],
  exports: [Skills, Publisher, Remote, Reconciler],
})
export class SkillsModule {}
