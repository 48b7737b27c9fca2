import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { RecallModule } from '../recall/recall.module.js';
import { CheckpointRepository } from './checkpoints/checkpoint.repository.js';
import { CheckpointEmbedders } from './checkpoints/checkpoint-embedders.service.js';
import { EmbedderDeployments } from './checkpoints/embedder-deployments.service.js';
import { EmbedderSwitch } from './checkpoints/embedder-switch.service.js';
import { CheckpointDeployer } from './runs/checkpoint-deployer.service.js';
import { MemoryService } from './runs/memory.service.js';
import { PairsRepository } from './runs/pairs.repository.js';
import { TrainingSets } from './runs/training-set.service.js';
import { TrainingThread } from './runs/training-thread.service.js';
import { TuningJob } from './runs/tuning.job.js';
import { TuningFolders } from './runs/tuning-folders.service.js';
import { TuningPreflights } from './runs/tuning-preflight.service.js';
import { TuningRunRepository } from './runs/tuning-run.repository.js';
import { TuningRunner } from './runs/tuning-runner.service.js';
import { TuningController } from './tuning.controller.js';

@Module({
  imports: [AccessModule, MemoryModule, RecallModule],
  controllers: [TuningController],
  providers: [
    TuningRunRepository,
    CheckpointRepository,
    PairsRepository,
    CheckpointEmbedders,
    EmbedderSwitch,
    EmbedderDeployments,
    TuningFolders,
    TrainingSets,
    TrainingThread,
    CheckpointDeployer,
    TuningPreflights,
    TuningRunner,
    MemoryService,
    TuningJob,
  ],
  exports: [MemoryService],
})
export class TuningModule {}
