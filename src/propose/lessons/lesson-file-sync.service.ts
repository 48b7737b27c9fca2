import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { BackgroundWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { lessonKey, renderLessonFile } from './lesson-file.js';
import { LessonFolder } from './lesson-folder.repository.js';

const EVERY_MS = 5_000;
/** Changes are not kept for ever, and somebody may have taken a file away. */
const FULL_SYNC_AFTER_MS = HOUR_MS;
const ALL_CHANGES = 9_223_372_036_854_775_807n;

/**
 * Keeps a folder in step with the live lessons of agents (spec L5), where one is set. The database is what counts: a file
 * is written after the lesson was stored, and goes after the lesson has ended.
 */
@Injectable()
export class LessonFileSync extends BackgroundWorker implements OnApplicationBootstrap {
  private readonly folder: LessonFolder | undefined;
  /** From where on changes were not looked at yet; undefined before the first look at all. */
  private cursor: bigint | undefined;
  private fullSyncAt = 0;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly clock: Clock,
    private readonly memories: MemoryReadService,
  ) {
    super();
    this.folder = config.skillMdDirectory === undefined ? undefined : new LessonFolder(config.skillMdDirectory);
  }

  onApplicationBootstrap(): void {
    this.wake();
  }

  @Interval(EVERY_MS)
  override wake(): void {
    if (this.folder) super.wake();
  }

  protected async step(): Promise<boolean> {
    if (!this.folder) return false;
    const now = this.clock.now().getTime();
    const isFullSync = this.cursor === undefined || now - this.fullSyncAt > FULL_SYNC_AFTER_MS;
    // Before anything is read: what changes meanwhile is looked at the next time.
    const { cursor, changes } = await this.memories.changes(isFullSync ? ALL_CHANGES : (this.cursor ?? ALL_CHANGES));
    if (isFullSync) await this.syncAll(this.folder);
    else await this.syncChanged(this.folder, [...new Set(changes.map(({ id }) => id))]);
    this.cursor = cursor;
    if (isFullSync) this.fullSyncAt = now;
    return false;
  }

  private async syncAll(folder: LessonFolder): Promise<void> {
    const stale = await folder.locations();
    for await (const page of this.memories.all())
      for (const key of await this.writeFiles(folder, page)) stale.delete(key);
    for (const location of stale.values()) await folder.remove(location);
  }

  private async syncChanged(folder: LessonFolder, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const written = new Set(await this.writeFiles(folder, await this.memories.live(ids)));
    const locations = await folder.locations();
    for (const key of ids.map(lessonKey)) {
      const location = locations.get(key);
      if (location && !written.has(key)) await folder.remove(location);
    }
  }

  /** The keys of those that have a file now. */
  private async writeFiles(
    folder: LessonFolder,
    live: readonly Pick<MemoryEntry, 'id' | 'agentId' | 'scope'>[],
  ): Promise<string[]> {
    const byAgent = new Map<string, string[]>();
    for (const { id, agentId, scope } of live)
      if (agentId !== null && scope === 'agent') byAgent.set(agentId, [...(byAgent.get(agentId) ?? []), id]);
    const keys: string[] = [];
    for (const [agentId, ids] of byAgent)
      for (const entry of await this.memories.visible({ agentId, role: null, department: null }, ids)) {
        const file = renderLessonFile(entry);
        if (!file) continue;
        await folder.write(file);
        keys.push(lessonKey(entry.id));
      }
    return keys;
  }
}
