import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { NoteQuestion } from '../../memory/lessons/kept-note.js';
import { NoteComparison } from '../../memory/lessons/note-comparison.service.js';
import { MemoryMerges } from '../../memory/merging/memory-merges.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import { EntryAccess } from './entry-access.service.js';

/** Read at once. */
const MOST_QUESTIONS = 1_000;

/** What the report of a run names, and what agents wrote that contradicts itself, for people. */
@Injectable()
export class EntryRunReader {
  constructor(
    private readonly database: Database,
    private readonly access: EntryAccess,
    private readonly merges: MemoryMerges,
    private readonly comparison: NoteComparison,
  ) {}

  /**
   * What entries of an agent say, by id, ended ones included. Undefined for someone who keeps no memory of this agent: only
   * its owner and administrators read it.
   */
  async texts(
    caller: Caller,
    agentId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const { client } = this.database;
    try {
      await this.access.keeper(client, caller, agentId);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'forbidden') return undefined;
      throw error;
    }
    return this.merges.entryTexts(client, agentId, ids);
  }

  /** Notes that contradict each other, of the agents that this person keeps, the newest first. */
  async questions(caller: Caller): Promise<NoteQuestion[]> {
    const isAdmin = caller.isAdmin && caller.scopes.includes('administer');
    const names = [caller.name, caller.email].filter((name) => name !== null);
    return this.comparison.questions(this.database.client, isAdmin ? undefined : names, MOST_QUESTIONS);
  }

  /** How many entries are ended by a run; of one that was undone, those that it could not restore. */
  endedBy(run: string): Promise<number> {
    return this.merges.entriesEndedBy(this.database.client, run);
  }
}
