import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { Corroborators } from './corroborators.service.js';
import { Promoting } from './promoting.service.js';
import { PromotionJob } from './promotion.job.js';
import { PromotionRepository } from './promotion.repository.js';
import { PromotionsController } from './promotions.controller.js';
import { Promotions } from './promotions.service.js';

@Module({
  imports: [AccessModule, CaptureModule, MemoryModule, ProposeModule],
  controllers: [PromotionsController],
  providers: [PromotionRepository, Corroborators, Promoting, PromotionJob, Promotions],
  exports: [Promoting, Promotions],
})
export class PromoteModule {}
