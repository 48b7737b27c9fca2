import { Injectable } from '@nestjs/common';
import { QueueStates } from '../background/queue-states.service.js';
import { sample } from '../telemetry/metrics.js';
import { Telemetry } from '../telemetry/telemetry.service.js';

/** Length and age of the queues, of all processes together. They are read only when metrics are collected. */
@Injectable()
export class QueueMetrics {
  constructor(telemetry: Telemetry, queues: QueueStates) {
    telemetry.addSource(async () =>
      (await queues.read()).flatMap(({ name: queue, length, oldestSeconds }) => [
        sample('guildbook_queue_length', length, { queue }),
        sample('guildbook_queue_oldest_age_seconds', oldestSeconds ?? 0, { queue }),
      ]),
    );
  }
}
