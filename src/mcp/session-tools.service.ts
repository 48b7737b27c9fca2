import type { McpServer } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type Caller, requireAccess } from '../access/identity/caller.js';
import { NewMemory, type RememberResult } from '../memory/lessons/remember.schema.js';
import { Clock } from '../platform/base/clock.js';
import { SessionId } from '../recall/ranking/recall.schema.js';
import { type FencedHit, fencedHits } from '../sessions/entries/preamble.js';
import { EntryKind } from '../sessions/entries/session-memory.schema.js';
import { EntryWriter } from '../sessions/store/entry-writer.service.js';
import { SessionMemoryReader } from '../sessions/store/session-memory-reader.service.js';
import { NewStoredEntry, SessionRecall, type StoredEntry } from '../sessions/store/stored-session.schema.js';
import { READ_HINTS, toolResult, toolSchema } from './mcp-tool.js';

const project = NewStoredEntry.shape.project;

/** What `remember` takes. With a kind it is an entry of the session memory, otherwise a note. */
export const Remembered = NewMemory.extend({
  kind: EntryKind.optional().describe('keeps it for the next sessions of this project'),
  project: project.describe('with a kind: its project, or every project'),
});
export type Remembered = z.output<typeof Remembered>;

const Recalled = SessionRecall.omit({ agent: true });
const Read = z.strictObject({
  id: SessionId.describe('of an entry, or the session of one'),
  project,
});

/** Text for the model, with what agents wrote in its fence, and the ids of its entries. */
interface SessionAnswer {
  readonly content: string;
  readonly entries: readonly string[];
}

const NOT_KEPT = 'sources are kept with a note only, so they were dropped';

/** The tools of an agent's session memory. Every entry is unverified. */
@Injectable()
export class SessionTools {
  constructor(
    private readonly clock: Clock,
    private readonly writer: EntryWriter,
    private readonly reader: SessionMemoryReader,
  ) {}

  register(server: McpServer, caller: Caller): void {
    server.registerTool(
      'recall_sessions',
      {
        description:
          'Searches what earlier sessions of this project left. Returns metadata, fenced as data; read_session gives the text.',
        inputSchema: toolSchema(Recalled, Recalled.omit({ bodies: true })),
        annotations: READ_HINTS,
      },
      (request) =>
        toolResult(
          async () => answerOf(await this.reader.recall(caller, request), 'No earlier session matches.'),
          ({ content }) => content,
        ),
    );
    server.registerTool(
      'read_session',
      {
        description: 'Returns one entry in full, or all entries of a session.',
        inputSchema: toolSchema(Read),
        annotations: READ_HINTS,
      },
      ({ id, project: of }) =>
        toolResult(
          async () => {
            const entries = await this.read(caller, id, of === undefined ? {} : { project: of });
            return answerOf(entries.map(wholeHit), 'There is no such session or entry.');
          },
          ({ content }) => content,
        ),
    );
  }

  /** Stores an entry for the next sessions. Without the id of a session, it belongs to the agent's day. */
  async remember(caller: Caller, kind: EntryKind, remembered: Remembered): Promise<RememberResult> {
    requireAccess(caller, [{ scope: 'report', kinds: ['agent'] }]);
    const now = this.clock.now();
    const { tags, sources, project: of, sessionId = `${caller.id} ${now.toISOString().slice(0, 10)}` } = remembered;
    const entry = {
      kind,
      content: contentOf(remembered),
      tags,
      sessionId,
      ...(of === undefined ? {} : { project: of }),
    };
    const { id, updatedAt, warnings: said = [] } = await this.writer.save(caller, entry);
    const warnings = sources.length === 0 ? said : [...said, NOT_KEPT];
    return { id, provenance: 'unverified', duplicate: Date.parse(updatedAt) < now.getTime(), warnings };
  }

  private async read(caller: Caller, id: string, query: { project?: string }): Promise<StoredEntry[]> {
    return z.uuid().safeParse(id).success
      ? [await this.reader.show(caller, id, query)]
      : this.reader.session(caller, id, query);
  }
}

function contentOf({ lesson, task, why, steps = [] }: Remembered): string {
  const parts = [lesson, ...(task ? [`When: ${task}`] : []), ...(why ? [`Why: ${why}`] : [])];
  return [...parts, ...steps.map((step) => `- ${step}`)].join('\n');
}

const wholeHit = ({ content, ...entry }: StoredEntry) => ({ ...entry, content, summary: content });

const answerOf = (hits: readonly FencedHit[], otherwise: string): SessionAnswer => ({
  content: fencedHits(hits) || otherwise,
  entries: hits.map(({ id }) => id),
});
