import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { Deliveries } from './delivery/deliveries.service.js';
import { DeliveryRepository } from './delivery/delivery.repository.js';
import { DeliveryPauseRepository } from './delivery/delivery-pause.repository.js';
import { DeliveryPausesController } from './delivery/delivery-pauses.controller.js';
import { DeliveryPauses } from './delivery/delivery-pauses.service.js';
import { LiveCheckRepository } from './delivery/live-check.repository.js';
import { LiveChecks } from './delivery/live-checks.service.js';
import { RolloutRepository } from './delivery/rollout.repository.js';
import { RolloutStages } from './delivery/rollout-stages.service.js';
import { SkillUseRepository } from './delivery/skill-use.repository.js';
import { SkillUsesController } from './delivery/skill-uses.controller.js';
import { SkillUses } from './delivery/skill-uses.service.js';

/** Separate from SkillsModule, so that measuring a skill's effect does not make publishing available. */
@Module({
  imports: [AccessModule, MemoryModule],
  controllers: [SkillUsesController, DeliveryPausesController],
  providers: [
    ...[RolloutRepository, RolloutStages, SkillUseRepository, SkillUses, DeliveryRepository, Deliveries],
    ...[DeliveryPauseRepository, DeliveryPauses, LiveCheckRepository, LiveChecks],
  ],
  exports: [RolloutStages, SkillUses, Deliveries, DeliveryPauses, LiveChecks],
})
export class SkillEffectModule {}
