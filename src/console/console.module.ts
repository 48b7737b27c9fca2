import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { ConsolidateModule } from '../consolidate/consolidate.module.js';
import { EffectModule } from '../effect/effect.module.js';
import { EvolveModule } from '../evolve/evolve.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { PromoteModule } from '../promote/promote.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { RecallModule } from '../recall/recall.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { CyclesController } from './activity/cycles.controller.js';
import { FleetController } from './activity/fleet.controller.js';
import { JournalChecks } from './activity/journal-checks.service.js';
import { JournalPageController } from './activity/journal-page.controller.js';
import { ApiPageController } from './frame/api-page.controller.js';
import { AssetsController } from './frame/assets.controller.js';
import { ReviewQueue } from './frame/review-queue.service.js';
import { ConsolidationPageController } from './memory/consolidation.controller.js';
import { MemoriesPageController } from './memory/memories.controller.js';
import { RecallPageController } from './memory/recall-page.controller.js';
import { DecisionsController } from './review/decisions.controller.js';
import { ReviewController } from './review/review.controller.js';
import { ReviewPages } from './review/review-pages.service.js';
import { AuditPageController } from './settings/audit-page.controller.js';
import { ServerState } from './settings/server-state.service.js';
import { SettingsController } from './settings/settings.controller.js';
import { WebhooksPageController } from './settings/webhooks-page.controller.js';
import { FirstRun } from './sign-in/first-run.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignOutController } from './sign-in/sign-out.controller.js';
import { StartController } from './sign-in/start.controller.js';
import { SkillsPageController } from './skills/skills-page.controller.js';
import { DashboardController } from './today/dashboard.controller.js';

/** The console's pages. They read and decide through the services of the other folders and store nothing themselves. */
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
    ConsolidateModule,
    SessionsModule,
  ],
  controllers: [
    ApiPageController,
    AssetsController,
    DashboardController,
    ReviewController,
    DecisionsController,
    SkillsPageController,
    FleetController,
    RecallPageController,
    CyclesController,
    JournalPageController,
    MemoriesPageController,
    ConsolidationPageController,
    SettingsController,
    WebhooksPageController,
    AuditPageController,
    StartController,
    SignInController,
    SignOutController,
  ],
  providers: [ReviewQueue, ReviewPages, FirstRun, ServerState, JournalChecks],
})
export class ConsoleModule {}
