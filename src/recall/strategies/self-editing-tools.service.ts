import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MemoryWriter, type NoteOptions } from '../../memory/lessons/memory-writer.service.js';
import { NewMemory } from '../../memory/lessons/remember.schema.js';
import { Category } from '../../memory/store/lesson.schema.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { CORE_NOTES, type RecallableMemory } from '../../memory/store/recallable-memory.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { filterEntries, MEMORY_FILTER, type MemoryFilter } from '../ranking/memory-filter.js';
import { NEW_ONLY } from '../ranking/recall.schema.js';
import { coreTokens, type Detail, renderMemories } from '../ranking/rendering.js';
import { SessionHistories } from './session-histories.service.js';
import type { MemoryTool, ToolCaller, ToolResult } from './strategy.js';
import { SearchInput, ToolBasedStrategy, toolText } from './tool-based.strategy.js';

const EPISODES = { category: 'EPISODIC' } as const;
const MAX_READ = 50;
const READING_TOOL = 'recall_memory_read';

const Note = NewMemory.pick({ lesson: true, task: true, why: true, tags: true, sources: true });
const CoreWrite = Note.extend({
  replaces: z.uuid().optional().describe('id of the core note that this note replaces'),
});
const ArchivalWrite = Note.extend({ category: Category.default('PROCEDURAL') });
const RecallRead = z.strictObject({
  id: z.uuid().optional().describe('id of one episode to read in full; without it, the latest episodes'),
  limit: z.int().min(1).max(MAX_READ).default(10),
  newOnly: NEW_ONLY,
});
const CoreRead = z.strictObject({ newOnly: NEW_ONLY });

type Identified = Pick<RecallableMemory, 'id'>;
type Settings = Pick<Config, 'coreMemoryTokens'>;

/**
 * The six tools with which an agent edits its own memory. Every write is redacted, unverified and private to the agent, and
 * never overwrites: a repeated note is a duplicate, and a core note ends only if another one names it in `replaces`.
 */
@Injectable()
export class SelfEditingTools {
  constructor(
    @Inject(CONFIG) private readonly config: Settings,
    private readonly memories: MemoryReadService,
    private readonly memoryWriter: MemoryWriter,
    private readonly toolBased: ToolBasedStrategy,
    @Inject(MEMORY_FILTER) private readonly filter: MemoryFilter,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly sessions: SessionHistories,
  ) {}

  tools(): readonly MemoryTool[] {
    return [
      {
        name: 'core_memory_read',
        title: 'Read core memory',
        description: 'Returns your core notes, which are always in your context, as fenced records with their ids.',
        input: CoreRead,
        writes: false,
        run: (caller, input) => this.readCore(caller, CoreRead.parse(input).newOnly),
      },
      {
        name: 'core_memory_write',
        title: 'Write core memory',
        description: `Adds a core note, which is always in your context. All core notes together have at most ${this.config.coreMemoryTokens} tokens, or what an administrator set for you, with what frames them. To change a note, give the id of the one to replace.`,
        input: CoreWrite,
        writes: true,
        run: (caller, input) => this.writeCore(caller, CoreWrite.parse(input)),
      },
      {
        name: 'archival_memory_search',
        title: 'Search archival memory',
        description:
          'Searches lessons and skills for a question. Returns records with their provenance, fenced as data.',
        input: SearchInput,
        writes: false,
        run: (caller, input) => this.toolBased.search(caller, SearchInput.parse(input), READING_TOOL),
      },
      {
        name: 'archival_memory_write',
        title: 'Write archival memory',
        description: 'Stores knowledge beyond this task: a procedure, a fact or an event.',
        input: ArchivalWrite,
        writes: true,
        run: (caller, input) => this.writeArchival(caller, ArchivalWrite.parse(input)),
      },
      {
        name: READING_TOOL,
        title: 'Read recall memory',
        description: 'Returns your episodes, newest first, or one of them in full.',
        input: RecallRead,
        writes: false,
        run: (caller, input) => this.readRecall(caller, RecallRead.parse(input)),
      },
      {
        name: 'recall_memory_write',
        title: 'Write recall memory',
        description: 'Stores an episode: something that happened.',
        input: Note,
        writes: true,
        run: (caller, input) => this.write(caller, Note.parse(input), { kind: EPISODES }),
      },
    ];
  }

  private async writeCore(caller: ToolCaller, input: z.output<typeof CoreWrite>): Promise<ToolResult> {
    const { replaces, ...note } = input;
    const budget = { tokens: this.config.coreMemoryTokens, tokensOf: coreTokens };
    return this.write(caller, note, { kind: CORE_NOTES, budget, replaces });
  }

  private async writeArchival(caller: ToolCaller, input: z.output<typeof ArchivalWrite>): Promise<ToolResult> {
    const { category, ...note } = input;
    return this.write(caller, note, { kind: { category } });
  }

  private async write(caller: ToolCaller, note: z.output<typeof Note>, options: NoteOptions): Promise<ToolResult> {
    const { agent, sessionId } = caller;
    const { id, duplicate, warnings, provenance } = await this.memoryWriter.remember(
      { kind: 'agent', id: agent.id, name: agent.name },
      { agentId: agent.id, role: agent.role, department: agent.department },
      { ...note, ...(sessionId === undefined ? {} : { sessionId }) },
      options,
    );
    const text = duplicate ? `Already stored as ${id}.` : `Stored as ${id}, ${provenance.replaceAll('_', ' ')}.`;
    return { text: [text, ...warnings].join(' '), memories: [], warnings };
  }

  private async readCore(caller: ToolCaller, newOnly: boolean): Promise<ToolResult> {
    const isNew = await this.newness(caller, newOnly);
    return this.rendered((await this.memories.own(caller.agent.id, CORE_NOTES, MAX_READ)).filter(isNew), 'full');
  }

  private async readRecall(caller: ToolCaller, input: z.output<typeof RecallRead>): Promise<ToolResult> {
    const { id, limit, newOnly } = input;
    if (id !== undefined) return this.toolBased.readOne(caller, { id, newOnly });
    const isNew = await this.newness(caller, newOnly);
    const episodes = await this.memories.own(caller.agent.id, EPISODES, newOnly ? MAX_READ : limit);
    return this.rendered(episodes.filter(isNew).slice(0, limit));
  }

  /** Says of a memory whether to return it: with `newOnly`, if the session has not received it. */
  private async newness({ agent, sessionId }: ToolCaller, newOnly: boolean): Promise<(memory: Identified) => boolean> {
    const { ids } = await this.sessions.deliveredBefore(agent.id, sessionId, newOnly);
    return ({ id }) => !newOnly || !ids.has(id);
  }

  private rendered(entries: readonly RecallableMemory[], detail: Detail = 'brief'): ToolResult {
    const { kept, warning } = filterEntries(entries, (entry) => this.filter.allows(entry));
    const messages = renderMemories(kept, this.ids.nonce(), { now: this.clock.now(), detail, readWith: READING_TOOL });
    const warnings = warning === undefined ? [] : [warning];
    return { text: toolText(messages, warnings, 'No notes yet.'), memories: kept.map(({ id }) => id), warnings };
  }
}
