import { Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { type Config } from '../platform/config/config.js';
import { programPath } from '../platform/config/environment.js';
import { CONFIG } from '../platform/platform.module.js';
import { RepositoryController } from './catalogue/repository.controller.js';
import { Skills } from './catalogue/skills.service.js';
import { WellKnownController } from './catalogue/well-known.controller.js';
import { repositoryFiles } from './document/repository-files.js';
import { GitRepository } from './git/git.repository.js';
import { DecisionCache } from './publishing/decision-cache.service.js';
import { KnownHistory } from './publishing/known-history.service.js';
import { PublicationRepository } from './publishing/publication.repository.js';
import { Publisher } from './publishing/publisher.service.js';
import { PullRequests } from './publishing/pull-requests.service.js';
import { Reconciler } from './publishing/reconciler.service.js';
import { RemotePusher } from './publishing/remote-pusher.service.js';
import { SkillsFolder } from './publishing/skills-folder.service.js';
import { SkillsFollower } from './publishing/skills-follower.service.js';
import { SkillsRepositoryRecords } from './publishing/skills-repository.repository.js';
import { SkillEffectModule } from './skill-effect.module.js';
import { SkillsController } from './skills.controller.js';

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
    SkillsRepositoryRecords,
    SkillsFolder,
    SkillsFollower,
    KnownHistory,
    Publisher,
    PullRequests,
    RemotePusher,
    DecisionCache,
    Reconciler,
    Skills,
  ],
  exports: [Skills, Publisher, RemotePusher, Reconciler],
})
export class SkillsModule implements OnModuleInit, OnApplicationShutdown {
  constructor(private readonly git: GitRepository) {}

  onModuleInit(): Promise<void> {
    return this.git.ensure();
  }

  onApplicationShutdown(): Promise<void> {
    return this.git.close();
  }
}
