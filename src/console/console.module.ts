import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { EffectModule } from '../evolve/effect.module.js';
import { EvolveModule } from '../evolve/evolve.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { PromoteModule } from '../promote/promote.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { RecallModule } from '../recall/recall.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AssetsController } from './assets.controller.js';
import { CyclesController } from './cycles.controller.js';
import { DecisionsController } from './decisions.controller.js';
import { Desk } from './desk.service.js';
import { FirstRun } from './first-run.service.js';
import { FleetController } from './fleet.controller.js';
import { JournalChecks } from './journal-checks.service.js';
import { JournalPageController } from './journal-page.controller.js';
import { MemoriesPageController } from './memories.controller.js';
import { PoolController } from './pool.controller.js';
import { RecallPageController } from './recall-page.controller.js';
import { ReviewController } from './review.controller.js';
import { Reviews } from './reviews.service.js';
import { ServerState } from './server-state.service.js';
import { SettingsController } from './settings.controller.js';
import { SignInController } from './sign-in.controller.js';
import { SignOutController } from './sign-out.controller.js';
import { StartController } from './start.controller.js';
import { TodayController } from './today.controller.js';
import { WebhooksPageController } from './webhooks-page.controller.js';

/** The pages. They read and decide through the services of the other rooms, and keep nothing themselves. */
@Module({
  imports: [
    AccessModule,
    MemoryModule,
    SkillsModule,
    SkillEffectModule,
    CaptureModule,
    ProposeModule,
    PromoteModule,
    WebhooksModule,
    ApprovalsModule,
    EvolveModule,
    EffectModule,
    RecallModule,
  ],
  controllers: [
    AssetsController,
    TodayController,
    ReviewController,
    DecisionsController,
    PoolController,
    FleetController,
    RecallPageController,
    CyclesController,
    JournalPageController,
    MemoriesPageController,
    SettingsController,
    WebhooksPageController,
    StartController,
    SignInController,
    SignOutController,
  ],
  providers: [Desk, Reviews, FirstRun, ServerState, JournalChecks],
})
export class ConsoleModule {}
