import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { MemoryRepository, type SkillVersions } from './memory.repository.js';
import type { MemoryEntry, SkillPageQuery } from './memory.schema.js';
import { type SkillPage, SkillPageRepository } from './skill-page.repository.js';

const ALL = 100_000;

/** Org memory, to read. Writing it is `OrgMemory`, which only the approval queue is given. */
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

  /** Live skills by name, behind `after`, with `text` in the name or the description; and how many there are in all. */
  skillPage(page: SkillPageQuery, tx: Tx = this.database.client): Promise<SkillPage> {
    return this.pages.live(tx, page);
  }

  /** The last versions of skills that are not live any more, likewise. */
  endedPage(page: SkillPageQuery, tx: Tx = this.database.client): Promise<SkillPage> {
    return this.pages.ended(tx, page);
  }

  count(tx: Tx = this.database.client): Promise<number> {
    return this.memories.count(tx, 'org');
  }

  liveSkill(name: string, tx: Tx = this.database.client): Promise<MemoryEntry | undefined> {
    return this.memories.liveSkill(tx, name);
  }

  /** By name, the live version and the highest one; none for a name that no skill ever had. */
  skillVersions(names: readonly string[], tx: SqlClient): Promise<Map<string, SkillVersions>> {
    return this.memories.skillVersions(tx, names);
  }

  findAll(ids: readonly string[], tx: SqlClient): Promise<Map<string, MemoryEntry>> {
    return this.memories.findAll(tx, ids);
  }

  find(id: string, tx: Tx = this.database.client): Promise<MemoryEntry | undefined> {
    return this.memories.find(tx, id);
  }

  /** Every version of it that was ever approved, live or not, the first one first. */
  history(name: string, tx: Tx = this.database.client): Promise<MemoryEntry[]> {
    return this.memories.skillHistory(tx, name);
  }

  /** The highest version that was ever approved under this name; 0 when none was. */
  async lastVersion(name: string, tx: Tx = this.database.client): Promise<number> {
    return (await this.skillVersions([name], tx)).get(name)?.last ?? 0;
  }
}
