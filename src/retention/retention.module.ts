import { Module } from '@nestjs/common';
import { RetentionController } from './retention.controller.js';
import { RetentionRepository } from './retention.repository.js';
import { Retention } from './retention.service.js';

/** What grows for ever is removed by day, if an operator wants it. */
@Module({
  controllers: [RetentionController],
  providers: [RetentionRepository, Retention],
})
export class RetentionModule {}
