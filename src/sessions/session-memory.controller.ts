import { applyDecorators, Body, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { MemoryKeeping } from '../memory/lessons/memory-keeping.service.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireAnyScope, RequireScope, TakesTurn } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { EntryWriter } from './store/entry-writer.service.js';
import { SessionLifecycle } from './store/session-lifecycle.service.js';
import { SessionMemoryReader } from './store/session-memory-reader.service.js';
import {
  DeleteEntry,
  EditEntry,
  NewStoredEntry,
  PreambleQuery,
  SessionClose,
  SessionParam,
  SessionQuery,
  SessionRecall,
  SessionStart,
  StartedSession,
  StoredEntry,
  StoredEntryList,
  StoredHitList,
  StoredPreamble,
  StoredSessionList,
} from './store/stored-session.schema.js';

const WRITES = [
  { scope: 'report', kinds: ['agent'] },
  { scope: 'read', kinds: ['person'] },
] as const;

/** An answer for the agent, its owner and administrators. */
const OfItsAgent = (status: 200 | 201 | 204, schema?: z.ZodType) =>
  applyDecorators(
    Returns(status, schema),
    Refuses(403, 'memory.not_owner', 'access.other_agent', 'access.wrong_kind', 'access.cross_origin'),
    Refuses(404, 'access.unknown_agent'),
  );

@ApiController('session-memory', 'v1/session-memory')
export class SessionMemoryController {
  constructor(
    private readonly writer: EntryWriter,
    private readonly reader: SessionMemoryReader,
    private readonly lifecycle: SessionLifecycle,
    private readonly keeping: MemoryKeeping,
  ) {}

  @Post('entries')
  @RequireAnyScope(...WRITES)
  @ApiOperation({
    summary: 'Save what an agent keeps for its next sessions. The same entry of a session is stored once',
  })
  @OfItsAgent(201, StoredEntry)
  @Refuses(409, 'memory.full', 'memory.summary_edited', 'memory.entry_ended')
  saveSessionEntry(
    @CurrentCaller() caller: Caller,
    @Body({ schema: NewStoredEntry }) entry: NewStoredEntry,
  ): Promise<StoredEntry> {
    return this.writer.save(caller, entry);
  }

  @Post('recall')
  @RequireScope('read', 'agent', 'person')
  @TakesTurn(true)
  @ApiOperation({ summary: 'Recall entries of earlier sessions: metadata, and bodies on request' })
  @OfItsAgent(200, StoredHitList)
  async recallSessions(
    @CurrentCaller() caller: Caller,
    @Body({ schema: SessionRecall }) request: SessionRecall,
  ): Promise<StoredHitList> {
    return { items: await this.reader.recall(caller, request) };
  }

  @Get('preamble')
  @RequireScope('read', 'agent', 'person')
  @TakesTurn(false)
  @ApiOperation({
    summary: 'Bounded text for a system prompt: the last sessions, pinned facts and preferences, fenced',
  })
  @OfItsAgent(200, StoredPreamble)
  async getSessionPreamble(
    @CurrentCaller() caller: Caller,
    @Query({ schema: PreambleQuery }) query: PreambleQuery,
  ): Promise<StoredPreamble> {
    return { text: await this.reader.preamble(caller, query) };
  }

  @Get('sessions')
  @RequireScope('read', 'agent', 'person')
  @ApiOperation({ summary: 'The newest sessions with their summaries' })
  @OfItsAgent(200, StoredSessionList)
  async listSessions(
    @CurrentCaller() caller: Caller,
    @Query({ schema: SessionQuery }) query: SessionQuery,
  ): Promise<StoredSessionList> {
    return { items: await this.reader.list(caller, query) };
  }

  @Post('sessions')
  @RequireAnyScope(...WRITES)
  @ApiOperation({ summary: 'Start a session: earlier ones that were never closed get their summary' })
  @OfItsAgent(200, StartedSession)
  async startSession(
    @CurrentCaller() caller: Caller,
    @Body({ schema: SessionStart }) start: SessionStart,
  ): Promise<StartedSession> {
    return { session: await this.lifecycle.start(caller, start) };
  }

  @Get('sessions/:session')
  @RequireScope('read', 'agent', 'person')
  @ApiOperation({ summary: 'All entries of a session, oldest first; none for an unknown session' })
  @OfItsAgent(200, StoredEntryList)
  async readSession(
    @CurrentCaller() caller: Caller,
    @Param({ schema: SessionParam }) { session }: SessionParam,
    @Query({ schema: SessionQuery }) query: SessionQuery,
  ): Promise<StoredEntryList> {
    return { items: await this.reader.session(caller, session, query) };
  }

  @Post('sessions/:session/close')
  @RequireAnyScope(...WRITES)
  @ApiOperation({ summary: 'Close a session with its summary. One that the agent or a person wrote stays' })
  @OfItsAgent(204)
  closeSession(
    @CurrentCaller() caller: Caller,
    @Param({ schema: SessionParam }) { session }: SessionParam,
    @Body({ schema: SessionClose }) close: SessionClose,
  ): Promise<void> {
    return this.lifecycle.close(caller, session, close);
  }

  @Get('entries/:id')
  @RequireScope('read', 'agent', 'person')
  @ApiOperation({ summary: 'One live entry' })
  @Returns(200, StoredEntry)
  @Refuses(403, 'memory.not_owner', 'access.other_agent', 'access.wrong_kind', 'access.cross_origin')
  @Refuses(404, 'memory.unknown_entry', 'access.unknown_agent')
  readSessionEntry(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Query({ schema: SessionQuery }) query: SessionQuery,
  ): Promise<StoredEntry> {
    return this.reader.show(caller, id, query);
  }

  @Put('entries/:id')
  @RequireScope('read', 'person')
  @ApiOperation({ summary: "Edit an entry, as its agent's owner or an administrator. It is labelled as the person's" })
  @Returns(200, StoredEntry)
  @Refuses(403, 'memory.not_owner', 'access.wrong_kind', 'access.cross_origin')
  @Refuses(404, 'memory.unknown_entry')
  @Refuses(409, 'memory.unchanged')
  editSessionEntry(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body({ schema: EditEntry }) change: EditEntry,
  ): Promise<StoredEntry> {
    return this.writer.edit(caller, id, change);
  }

  @Post('entries/:id/delete')
  @RequireScope('read', 'person')
  @ApiOperation({ summary: "Delete an entry and its text, as its agent's owner or an administrator" })
  @Returns(204)
  @Refuses(403, 'memory.not_owner', 'access.wrong_kind', 'access.cross_origin')
  @Refuses(404, 'memory.unknown_entry')
  deleteSessionEntry(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body({ schema: DeleteEntry }) { reason }: DeleteEntry,
  ): Promise<void> {
    return this.keeping.delete(caller, id, reason, 'project');
  }
}
