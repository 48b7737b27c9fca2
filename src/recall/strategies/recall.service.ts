import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { z } from 'zod';
import { Agents } from '../../access/identity/agents.service.js';
import { type Caller, permit } from '../../access/identity/caller.js';
import type { AgentActor } from '../../journal/actor.js';
import type { Tellable } from '../../memory/store/readable.js';
import { BeforeBackgroundWork, RequestPriority } from '../../platform/background/request-priority.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { MemorySearch } from '../index/memory-index.service.js';
import { MemoryVectors } from '../index/memory-vectors.service.js';
import type {
  Recall,
  RecallRequest,
  RecallState,
  ShownMemory,
  StrategyName,
  ToolAnswer,
  ToolCall,
} from '../ranking/recall.schema.js';
import { renderWhole } from '../ranking/rendering.js';
import { MemoryFinder } from '../search/memory-finder.service.js';
import { recallWarnings } from '../search/recall-setup.js';
import { bytesOf } from '../search/recollection.js';
import { ContextStrategy } from './context.strategy.js';
import { HANDED_IN_KEYS, type Overrides } from './handed-in.js';
import { type Retrieval, Retrievals } from './retrievals.service.js';
import { SelfEditingStrategy } from './self-editing.strategy.js';
import { Sessions } from './sessions.service.js';
import type { MemoryTool, RecallStrategy } from './strategy.js';
import { ToolBasedStrategy } from './tool-based.strategy.js';

/** What an agent is told for its task. */
@Injectable()
export class Recalling implements OnApplicationBootstrap {
  private readonly logger = new Logger(Recalling.name);
  private readonly warnings: readonly string[];
  private readonly strategies: Readonly<Record<StrategyName, RecallStrategy>>;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    readonly priority: RequestPriority,
    private readonly agents: Agents,
    context: ContextStrategy,
    toolBased: ToolBasedStrategy,
    selfEditing: SelfEditingStrategy,
    private readonly finder: MemoryFinder,
    private readonly search: MemorySearch,
    private readonly vectors: MemoryVectors,
    private readonly retrievals: Retrievals,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly sessions: Sessions,
  ) {
    this.warnings = recallWarnings(config);
    this.strategies = { context, tool_based: toolBased, self_editing: selfEditing };
  }

  onApplicationBootstrap(): void {
    for (const warning of this.warnings) this.logger.warn(warning);
    if (this.config.retrieval === 'hybrid' || this.config.retrieval === 'vectors') this.vectors.want();
  }

  state(): RecallState {
    const { recallStrategy: strategy, retrieval } = this.config;
    return {
      strategy,
      retrieval,
      memories: this.search.size,
      vectors: this.vectors.state(),
      warnings: [...this.warnings],
    };
  }

  /** People and services see what the agent would be told, and it counts as told only when the agent asks itself. */
  @BeforeBackgroundWork()
  async recall(caller: Caller, request: RecallRequest): Promise<Recall> {
    const { query, sessionId, newOnly, agent: named, overrides: given, ...options } = request;
    const { strategy: name = this.config.recallStrategy, retrieval = this.config.retrieval } = options;
    const agent = await this.agents.askedFor(caller, named);
    const strategy = this.strategies[name];
    const overrides = handedIn(given);
    const { rounds = this.config.searchAndAskRounds } = options;
    const told = await this.sessions.toldBefore(agent.id, sessionId, newOnly);
    const recollection = await strategy.prepareMessages({
      ...options,
      agent,
      text: query,
      retrieval,
      rounds,
      overrides,
      told,
    });
    const ids = recollection.told.map(({ entry }) => entry.id);
    if (caller.kind === 'agent')
      await this.note({ agent, sessionId, strategy: name, ids }, bytesOf(recollection.messages));
    return {
      strategy: name,
      retrieval,
      agent: agent.name,
      messages: [...recollection.messages],
      tools: strategy.tools().map(definitionOf),
      memories: recollection.told.map(({ entry, rank, places }) => ({
        ...shown(entry),
        ...rank,
        foundBy: { ...places },
      })),
      leftOut: recollection.leftOut.map(({ entry, because }) => ({ ...shown(entry), because })),
      tokens: recollection.tokens,
      warnings: [
        ...recollection.warnings,
        ...(name === 'context' || Object.keys(overrides).length === 0 ? [] : [NOT_HANDED_ON]),
      ],
    };
  }

  /** Every tool of every strategy, by its name. */
  tools(): readonly MemoryTool[] {
    return Object.values(this.strategies).flatMap((strategy) => [...strategy.tools()]);
  }

  /**
   * A tool of one of the strategies, called by the agent's model. What it tells counts once in a session. Throws
   * `not_found` for no such tool, `invalid` for another input than it takes, and what the tool throws.
   */
  async call(caller: Caller, name: string, { input, sessionId }: ToolCall): Promise<ToolAnswer> {
    const tool = this.tools().find((one) => one.name === name);
    if (!tool) throw new DomainError('not_found', 'recall.unknown_tool', `There is no tool "${name}".`);
    if (tool.writes) permit(caller, [{ scope: 'report', kinds: ['agent'] }]);
    const agent = await this.agents.askedFor(caller, undefined);
    const parsed = tool.input.safeParse(input);
    if (!parsed.success) throw invalidInput(parsed.error);
    const { text, memories, warnings } = await tool.run({ agent, sessionId }, parsed.data);
    await this.note({ agent, sessionId, strategy: name, ids: memories }, Buffer.byteLength(text));
    return { content: text, memories: [...memories], warnings: [...warnings] };
  }

  /** One memory whole. What an agent reads counts as told. Throws `not_found`, also for what it cannot see. */
  async show(caller: Caller, id: string, sessionId?: string): Promise<ShownMemory> {
    const agent = await this.agents.askedFor(caller, undefined);
    const entry = await this.finder.one(agent, id);
    if (!entry) throw new DomainError('not_found', 'memory.not_found', `There is no memory ${id} that you can see.`);
    const content = renderWhole(entry, this.ids.nonce(), this.clock.now());
    await this.note({ agent, sessionId, strategy: 'tool', ids: [entry.id] }, Buffer.byteLength(content));
    return { ...shown(entry), content };
  }

  /** It was told: counted in the background, and known to the session at once. */
  private async note(
    { agent, ...told }: Omit<Retrieval, 'agent'> & { readonly agent: Omit<AgentActor, 'kind'> },
    bytes: number,
  ): Promise<void> {
    this.retrievals.note({ ...told, agent: { kind: 'agent', id: agent.id, name: agent.name } });
    if (told.sessionId !== undefined) await this.sessions.note(agent.id, told.sessionId, told.ids, bytes);
  }
}

function shown({ id, scope, provenance, lesson, skillName, version, createdAt }: Tellable) {
  return { id, scope, provenance, discovery: lesson.discovery, skillName, version, createdAt };
}

const NOT_HANDED_ON = 'Only the strategy context tells what is handed in.';

/** The keys that were given, and no other. */
function handedIn(given: RecallRequest['overrides']): Overrides {
  const entries = HANDED_IN_KEYS.flatMap((key) => {
    const texts = given[key];
    return texts === undefined ? [] : [[key, texts] as const];
  });
  return Object.fromEntries(entries);
}

const definitionOf = ({ name, description, input }: MemoryTool) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
});

function invalidInput(error: z.ZodError): DomainError {
  const fields = error.issues.map(({ path, message }) => ({ field: ['input', ...path].join('.'), message }));
  return new DomainError('invalid', 'recall.invalid_input', 'The tool does not take this input.', fields);
}
