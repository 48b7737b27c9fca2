import { Inject, Injectable, Logger } from '@nestjs/common';
import { defineWorker, Worker } from '../platform/background/worker.js';
import { Clock } from '../platform/base/clock.js';
import { MINUTE_MS, SECOND_MS } from '../platform/base/durations.js';
import { Ids } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { AuditStreamRepository, type StreamTarget } from './audit-stream.repository.js';
import { AuditStreamSender, type SendResult } from './audit-stream-sender.service.js';

/** Longer than one attempt takes. Afterwards another process may send. */
const LEASE_MS = MINUTE_MS;

/**
 * Sends every stream its entries, each in a worker of its own, so that a slow receiver delays no other. The cursor moves
 * after the acknowledgement: after a kill in between, the same entries are sent again, and none is left out.
 */
@Injectable()
export class AuditStreamWorker extends defineWorker({ every: 5 * SECOND_MS }) {
  private readonly logger = new Logger(AuditStreamWorker.name);
  private readonly holder: string;
  private readonly workers = new Map<string, Worker>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    ids: Ids,
    private readonly streams: AuditStreamRepository,
    private readonly sender: AuditStreamSender,
  ) {
    super();
    this.holder = ids.uuid();
  }

  override async idle(): Promise<void> {
    await super.idle();
    await Promise.all([...this.workers.values()].map((worker) => worker.idle()));
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await Promise.all([...this.workers.values()].map((worker) => worker.stop()));
    for (const id of this.workers.keys())
      await this.database.transaction((tx) => this.streams.release(tx, id, this.holder));
  }

  /** Wakes the workers of the streams that are due. */
  protected async step(): Promise<boolean> {
    const due = await this.streams.due(this.database.client, this.clock.now(), this.config.auditFile);
    for (const id of due) {
      const worker = this.workers.get(id) ?? new Worker(AuditStreamWorker.name, () => this.sendNext(id));
      this.workers.set(id, worker);
      worker.wake();
    }
    return false;
  }

  /** Sends the next entries of one stream. Returns true if there may be more. */
  private async sendNext(id: string): Promise<boolean> {
    const now = this.clock.now();
    const claim = { holder: this.holder, now, ms: LEASE_MS };
    const stream = await this.database.transaction((tx) => this.streams.claim(tx, id, claim));
    const result = stream && (await this.sender.send(stream));
    return stream && result ? this.record(stream, result) : false;
  }

  private async record(stream: StreamTarget, { end, status, answer }: SendResult): Promise<boolean> {
    const at = this.clock.now();
    const { id, failures } = stream;
    if (end) {
      if (failures > 0) this.logger.log(`audit stream ${id} is acknowledged again, after ${failures} failed attempts`);
      return this.database.transaction((tx) => this.streams.acknowledge(tx, stream, end, { at, status }));
    }
    const nextAttemptAt = new Date(at.getTime() + retryPause(failures + 1));
    await this.database.transaction((tx) => this.streams.fail(tx, stream, { at, nextAttemptAt, status, answer }));
    if (failures === 0) this.logger.warn(`audit stream ${id} fails and is tried again: ${status ?? ''} ${answer}`);
    return false;
  }
}

/** Pauses after failures that follow each other. The last one repeats for as long as the receiver is away. */
const PAUSES_MS = [5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];

/** Milliseconds until the attempt after `failures` failed ones. */
export const retryPause = (failures: number): number =>
  PAUSES_MS[Math.min(Math.max(failures, 1), PAUSES_MS.length) - 1] ?? 5 * MINUTE_MS;
