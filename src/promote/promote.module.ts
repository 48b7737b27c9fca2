import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { EvidenceCollector } from './evidence-collector.service.js';
import { PromotionRepository } from './promotion.repository.js';
import { PromotionService } from './promotion.service.js';
import { PromotionWorker } from './promotion-worker.service.js';
import { PromotionsController } from './promotions.controller.js';

@Module({
  imports: [AccessModule, CaptureModule, MemoryModule, ProposeModule],
  controllers: [PromotionsController],
  providers: [PromotionRepository, EvidenceCollector, PromotionWorker, PromotionService],
  exports: [PromotionWorker, PromotionService],
})
export class PromoteModule {}
