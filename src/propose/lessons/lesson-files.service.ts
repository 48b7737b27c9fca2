import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { MemoryEntry } from '../../memory/store/memory.schema.js';
import { MemoryReading } from '../../memory/store/memory-reading.service.js';
import { BackgroundWork } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { keyOf, lessonFile } from './lesson-file.js';
import { LessonFolder } from './lesson-folder.repository.js';

const EVERY_MS = 5_000;
/** Changes are not kept for ever, and somebody may have taken a file away. */
const WHOLE_AFTER_MS = HOUR_MS;
const ALL_CHANGES = 9_223_372_036_854_775_807n;

/**
 * Keeps a folder in step with the live lessons of agents (spec L5), where one is set. The database is what counts: a file
 * is written after the lesson was stored, and goes after the lesson has ended.
 */
@Injectable()
export class LessonFiles extends BackgroundWork implements OnApplicationBootstrap {
  private readonly folder: LessonFolder | undefined;
  /** From where on changes were not looked at yet; undefined before the first look at all. */
  private cursor: bigint | undefined;
  private wholeAt = 0;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly clock: Clock,
    private readonly memories: MemoryReading,
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
    const whole = this.cursor === undefined || now - this.wholeAt > WHOLE_AFTER_MS;
    // Before anything is read: what changes meanwhile is looked at the next time.
    const { cursor, changes } = await this.memories.changes(whole ? ALL_CHANGES : (this.cursor ?? ALL_CHANGES));
    if (whole) await this.writeAll(this.folder);
    else await this.writeChanged(this.folder, [...new Set(changes.map(({ id }) => id))]);
    this.cursor = cursor;
    if (whole) this.wholeAt = now;
    return false;
  }

  private async writeAll(folder: LessonFolder): Promise<void> {
    const gone = await folder.places();
    for await (const page of this.memories.all()) for (const key of await this.write(folder, page)) gone.delete(key);
    for (const place of gone.values()) await folder.remove(place);
  }

  private async writeChanged(folder: LessonFolder, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const written = new Set(await this.write(folder, await this.memories.live(ids)));
    const places = await folder.places();
    for (const key of ids.map(keyOf)) {
      const place = places.get(key);
      if (place && !written.has(key)) await folder.remove(place);
    }
  }

  /** The keys of those that have a file now. */
  private async write(
    folder: LessonFolder,
    live: readonly Pick<MemoryEntry, 'id' | 'agentId' | 'scope'>[],
  ): Promise<string[]> {
    const byAgent = new Map<string, string[]>();
    for (const { id, agentId, scope } of live)
      if (agentId !== null && scope === 'agent') byAgent.set(agentId, [...(byAgent.get(agentId) ?? []), id]);
    const keys: string[] = [];
    for (const [agentId, ids] of byAgent)
      for (const entry of await this.memories.visible({ agentId, role: null, department: null }, ids)) {
        const file = lessonFile(entry);
        if (!file) continue;
        await folder.write(file);
        keys.push(keyOf(entry.id));
      }
    return keys;
  }
}
