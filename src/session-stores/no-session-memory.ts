import type { Clock } from '../platform/base/clock.js';
import { type EntryDefaults, newEntry, parseInput } from '../sessions/entries/entry.js';
import {
  type NewSessionEntry,
  RecallOptions,
  type SessionEntry,
  type SessionHit,
  type SessionMemory,
  type SessionOverview,
} from '../sessions/entries/session-memory.schema.js';

/** Remembers nothing. It refuses what every memory refuses, so that a program can switch without surprises. */
export class NoSessionMemory implements SessionMemory {
  constructor(
    private readonly clock: Clock,
    private readonly defaults: Omit<EntryDefaults, 'at'>,
  ) {}

  async save(input: NewSessionEntry): Promise<SessionEntry> {
    return newEntry(input, { ...this.defaults, at: this.clock.now().toISOString() });
  }
  async recall(_query: string, options: RecallOptions = {}): Promise<SessionHit[]> {
    parseInput(RecallOptions, options);
    return [];
  }
  async read(): Promise<SessionEntry[]> {
    return [];
  }
  async sessions(): Promise<SessionOverview[]> {
    return [];
  }
  async preamble(): Promise<string> {
    return '';
  }
  problems(): readonly [] {
    return [];
  }
  async close(): Promise<void> {}
}
