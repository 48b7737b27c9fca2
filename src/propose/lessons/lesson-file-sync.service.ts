import { Inject, Injectable } from '@nestjs/common';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import type { MemoryCursor } from '../../memory/store/recallable-memory.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { HOUR_MS, SECOND_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { lessonKey, renderLessonFile } from './lesson-file.js';
import { LessonFolder } from './lesson-folder.repository.js';

/** The change log is pruned, and a file may have been deleted from outside: both need a full synchronisation. */
const FULL_SYNC_AFTER_MS = HOUR_MS;

/**
 * Keeps a folder of SKILL.md files in step with the live lessons of agents, if a folder is configured. The database is
 * authoritative: a file is written after its lesson was stored, and removed after the lesson has ended.
 */
@Injectable()
export class LessonFileSync extends defineWorker({ every: 5 * SECOND_MS }) {
  private readonly folder: LessonFolder | undefined;
  /** The position in the change log up to which the folder is in step; undefined before the first synchronisation. */
  private cursor: MemoryCursor | undefined;
  private fullSyncAt = 0;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly clock: Clock,
    private readonly memories: MemoryReadService,
  ) {
    super();
    this.folder = config.skillMdDirectory === undefined ? undefined : new LessonFolder(config.skillMdDirectory);
  }

  override wake(): void {
    if (this.folder) super.wake();
  }

  protected async step(): Promise<boolean> {
    if (!this.folder) return false;
    const now = this.clock.now().getTime();
    if (this.cursor === undefined || now - this.fullSyncAt > FULL_SYNC_AFTER_MS) {
      // Read before the lessons: a change during this step is then handled by the next one.
      const cursor = await this.memories.cursor();
      await this.syncAll(this.folder);
      [this.cursor, this.fullSyncAt] = [cursor, now];
      return false;
    }
    const { cursor, changes } = await this.memories.changes(this.cursor);
    const ids = changes.map(({ id }) => id);
    await this.syncChanged(this.folder, ids);
    this.cursor = cursor;
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

  /** Returns the keys of the lessons that have a file now. */
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
