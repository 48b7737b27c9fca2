import { Injectable, Logger } from '@nestjs/common';
import { ThreadPool, type ThreadTask, threadTask } from '../../platform/background/thread-pool.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { messageOf } from '../../platform/base/error-text.js';
import { textLength } from '../../platform/base/text-length.js';
import { IdentifierReferences } from '../../platform/database/identifier-references.service.js';
import readHookAt from '../hook-events/hook-reading.thread.js';
import type { ProductHook } from '../hook-events/products.js';
import readExportOf from '../traces/export-reading.thread.js';
import type { ReceivedExport } from '../traces/received-export.js';
import type { ReadExport } from '../traces/telemetry-export.js';

const HOOK = threadTask(readHookAt, '../hook-events/hook-reading.thread', import.meta.url);
const EXPORT = threadTask(readExportOf, '../traces/export-reading.thread', import.meta.url);
/** The most costly body takes about eight seconds. */
const LIMIT_MS = 15_000;

/** Reads and redacts what arrives in fragments, without blocking the event loop. */
@Injectable()
export class FragmentReader {
  private readonly logger = new Logger(FragmentReader.name);

  constructor(
    private readonly threads: ThreadPool,
    private readonly references: IdentifierReferences,
  ) {}

  readHook(callerId: string, hook: ProductHook, at: Date): Promise<ReturnType<typeof readHookAt>> {
    return this.read(HOOK, { hook, at, key: this.references.secret }, callerId, textLength(hook));
  }

  /** Refuses an export in protobuf that cannot be decoded or is beyond the bounds. */
  async readExport(callerId: string, received: ReceivedExport): Promise<ReadExport> {
    const size = received.protobuf?.length ?? textLength(received.request);
    const read = await this.read(EXPORT, { received, key: this.references.secret }, callerId, size);
    if ('problem' in read) throw new DomainError('invalid', read.problem.code, `The body ${read.problem.detail}.`);
    return read;
  }

  /** Nothing of a fragment is stored that was not redacted, so one over which a thread dies or hangs is refused. */
  private async read<In, Out>(task: ThreadTask<In, Out>, input: In, key: string, size: number): Promise<Out> {
    try {
      return await this.threads.run(task, input, { key, size, limitMs: LIMIT_MS });
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.logger.warn(`a body of ${size} characters is refused: ${messageOf(error)}`);
      throw new DomainError('invalid', 'execution.unscannable', 'The texts of the body take too long to redact.');
    }
  }
}
