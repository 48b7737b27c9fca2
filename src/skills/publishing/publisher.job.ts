import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { QueueStates } from '../../platform/background/queue-states.service.js';
import { GitRepository } from '../git/git.repository.js';
import { PENDING_PUBLICATIONS } from './publication.repository.js';
import { Publisher } from './publisher.service.js';
import { RemotePusher } from './remote-pusher.service.js';
import { SkillsFollower } from './skills-follower.service.js';

const RETRY_MS = 5_000;

/**
 * Creates the skills repository if needed, publishes at the start what a crash left, and wakes the publisher for
 * retries.
 */
@Injectable()
export class PublisherJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(PublisherJob.name);

  constructor(
    private readonly git: GitRepository,
    private readonly publisher: Publisher,
    private readonly remote: RemotePusher,
    private readonly follower: SkillsFollower,
    queues: QueueStates,
  ) {
    queues.register('publications', PENDING_PUBLICATIONS);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.git.ensure();
    this.logger.log('skills repository ready');
    this.wake();
  }

  @Interval(RETRY_MS)
  wake(): void {
    this.follower.wake();
    this.publisher.wake();
    this.remote.wake();
  }
}
