import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { MemoryRepository, type SkillVersions } from './memory.repository.js';
import type { MemoryEntry, SkillPageQuery } from './memory.schema.js';
import { type SkillPage, SkillPageRepository } from './skill-page.repository.js';

const ALL = 100_000;

/** Read access to org memory. `OrgMemoryWriter` writes it, and only the approvals module receives that class. */
@Injectable()
export class OrgEntries {
  constructor(
    private readonly database: Database,
    private readonly memories: MemoryRepository,
    private readonly pages: SkillPageRepository,
  ) {}

  live(tx: Tx = this.database.client): Promise<MemoryEntry[]> {
    return this.memories.list(tx, 'org', { limit: ALL });
  }

  /** A page of live skills by name, after `after`, with `text` in the name or the description, and the total. */
  skillPage(page: SkillPageQuery, tx: Tx = this.database.client): Promise<SkillPage> {
    return this.pages.live(tx, page);
  }

  /** A page of the last versions of skills that are no longer live, and the total. */
  endedPage(page: SkillPageQuery, tx: Tx = this.database.client): Promise<SkillPage> {
    return this.pages.ended(tx, page);
  }

  count(tx: Tx = this.database.client): Promise<number> {
    return this.memories.count(tx, 'org');
  }

  liveSkill(name: string, tx: Tx = this.database.client): Promise<MemoryEntry | undefined> {
    return this.memories.liveSkill(tx, name);
  }

  /** By skill name: the live version and the highest version. A name that no skill ever had is missing. */
  skillVersions(names: readonly string[], tx: SqlClient): Promise<Map<string, SkillVersions>> {
    return this.memories.skillVersions(tx, names);
  }

  findAll(ids: readonly string[], tx: SqlClient): Promise<Map<string, MemoryEntry>> {
    return this.memories.findAll(tx, ids);
  }

  /** Locks entries against their retirement until the transaction ends. Waits for one that is retiring them. */
  lock(ids: readonly string[], tx: SqlClient): Promise<void> {
    return this.memories.lockShared(tx, ids);
  }

  find(id: string, tx: Tx = this.database.client): Promise<MemoryEntry | undefined> {
    return this.memories.find(tx, id);
  }

  /** All approved versions of the skill, live or ended, oldest first. */
  history(name: string, tx: Tx = this.database.client): Promise<MemoryEntry[]> {
    return this.memories.skillHistory(tx, name);
  }

  /** The highest version ever approved under this name; 0 if there is none. */
  async lastVersion(name: string, tx: Tx = this.database.client): Promise<number> {
    return (await this.skillVersions([name], tx)).get(name)?.last ?? 0;
  }
}
