import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { z } from 'zod';
import { AgentResolver } from '../../access/identity/agent-resolver.service.js';
import { type Caller, requireAccess } from '../../access/identity/caller.js';
import type { AgentActor } from '../../journal/actor.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { BeforeBackgroundWork, RequestPriority } from '../../platform/background/request-priority.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { MemoryVectors } from '../index/memory-vectors.service.js';
import { RankingProfiles } from '../ranking/ranking-profile.service.js';
import type {
  Recall,
  RecallRequest,
  RecallState,
  RetrievalMode,
  StrategyName,
  ToolAnswer,
  ToolCall,
} from '../ranking/recall.schema.js';
import { RecallAssistant } from '../search/recall-assistant.service.js';
import { bytesOf, type RecallResult } from '../search/recall-result.js';
import { recallWarnings } from '../search/recall-setup.js';
import { ContextStrategy } from './context.strategy.js';
import { type RetrievalEvent, RetrievalRecorder } from './retrieval-recorder.service.js';
import { SelfEditingStrategy } from './self-editing.strategy.js';
import { SessionHistories } from './session-histories.service.js';
import {
  idsOf,
  type MemoryTool,
  NOTHING,
  type Overrides,
  REQUEST_CONTEXT_KEYS,
  type RecallStrategy,
} from './strategy.js';
import { ToolBasedStrategy } from './tool-based.strategy.js';

/** Tokens of the instruction and of core notes at their limit, with the framing of the longest list of notes. */
const OPENING_TOKENS = 32_000;
/** Memories of a recall that does not say how many. */
const DEFAULT_LIMIT = 10;

/** Recalls memories for an agent, and runs the memory tools. */
@Injectable()
export class RecallService implements OnApplicationBootstrap {
  private readonly logger = new Logger(RecallService.name);
  private readonly warnings: readonly string[];
  private readonly strategies: Readonly<Record<StrategyName, RecallStrategy>>;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    readonly priority: RequestPriority,
    private readonly agents: AgentResolver,
    context: ContextStrategy,
    toolBased: ToolBasedStrategy,
    private readonly selfEditing: SelfEditingStrategy,
    private readonly memories: MemoryReadService,
    private readonly vectors: MemoryVectors,
    private readonly retrievals: RetrievalRecorder,
    private readonly sessions: SessionHistories,
    private readonly profiles: RankingProfiles,
    private readonly assistant: RecallAssistant,
  ) {
    this.warnings = recallWarnings(config);
    this.strategies = { context, tool_based: toolBased, self_editing: selfEditing };
  }

  onApplicationBootstrap(): void {
    for (const warning of this.warnings) this.logger.warn(warning);
    if (this.config.retrieval === 'hybrid' || this.config.retrieval === 'vectors') this.vectors.enable();
  }

  async state(): Promise<RecallState> {
    const { recallStrategy: strategy, retrieval } = this.config;
    const memories = await this.memories.countLive();
    return {
      strategy,
      retrieval,
      profile: this.profileState(),
      memories,
      vectors: this.vectors.state(memories),
      warnings: [...this.warnings],
    };
  }

  private profileState(): RecallState['profile'] {
    const { current, sha256, isFromFile: fromFile } = this.profiles;
    const { version: _version, name, fusion, ...values } = current;
    const { embedderWeight = this.vectors.current.embedder.weight } = fusion;
    return { name, sha256, fromFile, values: { ...values, fusion: { ...fusion, embedderWeight } } };
  }

  /** Recalls memories. People and services see the result of the agent, but only a recall by the agent counts as delivery. */
  @BeforeBackgroundWork()
  async recall(caller: Caller, request: RecallRequest): Promise<Recall> {
    const { query, sessionId, newOnly, agent: agentName, overrides: contextFields, ...options } = request;
    const { strategy: name = this.config.recallStrategy, retrieval = this.config.retrieval } = options;
    const agent = await this.agents.resolve(caller, agentName);
    const strategy = this.strategies[name];
    const overrides = requestContextOf(contextFields);
    const { rounds = this.config.queryExpansionRounds } = options;
    const { limit = DEFAULT_LIMIT } = options;
    const result = await strategy.prepareMessages({
      ...options,
      agent,
      text: query,
      retrieval,
      rounds,
      limit,
      overrides,
      deliveredBefore: await this.sessions.deliveredBefore(agent.id, sessionId, newOnly),
    });
    const ids = idsOf(result);
    if (caller.kind === 'agent')
      await this.recordDelivery({ agent, sessionId, strategy: name, ids }, bytesOf(result.messages));
    return {
      strategy: name,
      retrieval,
      agent: agent.name,
      ...this.profileOfResult(),
      messages: [...result.messages],
      tools: strategy.tools().map(definitionOf),
      memories: result.delivered.map(({ entry, rank, weak, sourceRanks }) => ({
        ...summaryOf(entry),
        ...rank,
        weak,
        foundBy: { ...sourceRanks },
      })),
      leftOut: result.leftOut.map(({ entry, because }) => ({ ...summaryOf(entry), because })),
      tokens: result.tokens,
      warnings: [
        ...result.warnings,
        ...this.limitWarnings(options.limit),
        ...ignoredOptions(request, { strategy: name, retrieval, hasSelector: this.assistant.usesSelector }),
        ...(name === 'context' || Object.keys(overrides).length === 0 ? [] : [REQUEST_CONTEXT_UNUSED]),
      ],
    };
  }

  private limitWarnings(limit: number | undefined): string[] {
    const { maxResults } = this.profiles.current;
    const isCut = limit !== undefined && limit > maxResults;
    return isCut ? [`The ranking profile limits a recall to ${maxResults} memories.`] : [];
  }

  private profileOfResult(): Pick<Recall, 'profile'> {
    const { reference, current } = this.profiles;
    const { relevanceWeight, recencyWeight } = current;
    return reference === undefined ? {} : { profile: { ...reference, relevanceWeight, recencyWeight } };
  }

  /** The strategy of this server for callers that choose none. */
  get strategy(): RecallStrategy {
    return this.strategies[this.config.recallStrategy];
  }

  /**
   * The text of what the configured strategy delivers before any task, for clients that have one text for it; empty if it
   * delivers nothing. The core notes in it count as delivered.
   */
  @BeforeBackgroundWork()
  async opening(caller: Caller): Promise<string> {
    const agent = await this.agents.resolve(caller, undefined);
    const opened = await this.strategy.open(agent, OPENING_TOKENS);
    const core = this.strategy === this.selfEditing ? NOTHING : await this.selfEditing.core(agent.id, OPENING_TOKENS);
    return this.delivered(agent, undefined, [opened, core]);
  }

  /** The core notes of an agent as a session gets them at its start, with this nonce; empty without any. */
  @BeforeBackgroundWork()
  async coreMemory(agent: AgentActor, sessionId: string, nonce: string): Promise<string> {
    return this.delivered(agent, sessionId, [await this.selfEditing.core(agent.id, OPENING_TOKENS, nonce)]);
  }

  /** The text of what is delivered before any task. */
  private async delivered(
    agent: Omit<AgentActor, 'kind'>,
    sessionId: string | undefined,
    results: readonly RecallResult[],
  ): Promise<string> {
    const messages = results.flatMap((result) => [...result.messages]);
    const ids = results.flatMap(idsOf);
    await this.recordDelivery({ agent, sessionId, strategy: this.strategy.name, ids }, bytesOf(messages));
    return messages.map(({ content }) => content).join('\n');
  }

  /**
   * The tools that a server offers to a model. `context` has none, but nothing can be put before a task over MCP, so that
   * it offers those of `tool_based`.
   */
  get offered(): readonly MemoryTool[] {
    return (this.strategy.name === 'context' ? this.strategies.tool_based : this.strategy).tools();
  }

  /** The tools of all strategies. */
  tools(): readonly MemoryTool[] {
    return Object.values(this.strategies).flatMap((strategy) => [...strategy.tools()]);
  }

  /**
   * Runs a memory tool for the agent's model and records the delivered memories. Throws `not_found` for an unknown tool,
   * `invalid` for invalid input, and the errors of the tool.
   */
  async call(caller: Caller, name: string, { input, sessionId }: ToolCall): Promise<ToolAnswer> {
    const tool = this.tools().find((known) => known.name === name);
    if (!tool) throw new DomainError('not_found', 'recall.unknown_tool', `Unknown tool "${name}".`);
    if (tool.writes) requireAccess(caller, [{ scope: 'report', kinds: ['agent'] }]);
    const agent = await this.agents.resolve(caller, undefined);
    const parsed = tool.input.safeParse(input);
    if (!parsed.success) throw invalidInput(parsed.error);
    const { text, memories, warnings } = await tool.run({ agent, sessionId }, parsed.data);
    await this.recordDelivery({ agent, sessionId, strategy: name, ids: memories }, Buffer.byteLength(text));
    return { content: text, memories: [...memories], warnings: [...warnings] };
  }

  /** Records a delivery: in the session history at once, in the database in the background. */
  private async recordDelivery(
    { agent, ...delivery }: Omit<RetrievalEvent, 'agent' | 'profile'> & { readonly agent: Omit<AgentActor, 'kind'> },
    bytes: number,
  ): Promise<void> {
    this.retrievals.record({
      ...delivery,
      profile: this.profiles.reference?.sha256,
      agent: { kind: 'agent', id: agent.id, name: agent.name },
    });
    if (delivery.sessionId !== undefined)
      await this.sessions.recordDelivery(agent.id, delivery.sessionId, delivery.ids, bytes);
  }
}

function summaryOf({ id, scope, provenance, lesson, skillName, version, createdAt }: RecallableMemory) {
  return { id, scope, provenance, discovery: lesson.discovery, skillName, version, createdAt };
}

const REQUEST_CONTEXT_UNUSED = 'Only the strategy "context" delivers the request context.';

/** The context of the request, without absent keys. */
function requestContextOf(contextFields: RecallRequest['overrides']): Overrides {
  const entries = REQUEST_CONTEXT_KEYS.flatMap((key) => {
    const texts = contextFields[key];
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
  return new DomainError('invalid', 'recall.invalid_input', 'Invalid input for this tool.', fields);
}

/** The options that not every strategy uses. `overrides` has another sentence. */
type Option = Extract<
  keyof RecallRequest,
  | 'limit'
  | 'diversify'
  | 'rounds'
  | 'retrieval'
  | 'tools'
  | 'role'
  | 'newOnly'
  | 'verifiedOnly'
  | 'minRelevance'
  | 'weak'
  | 'recentTools'
  | 'alreadyRead'
>;

const OPTIONS: readonly Option[] = [
  ...(['limit', 'diversify', 'rounds', 'retrieval', 'tools', 'role', 'newOnly', 'verifiedOnly'] as const),
  ...(['minRelevance', 'weak', 'recentTools', 'alreadyRead'] as const),
];

/** How the request is answered. */
export interface ChosenWays {
  readonly strategy: StrategyName;
  readonly retrieval: RetrievalMode;
  /** Whether a model selects the memories. */
  readonly hasSelector: boolean;
}

/**
 * Returns a warning for each reason why options of the request have no effect. A default is no request: an option that is
 * left out, or that asks for nothing, is never named.
 */
export function ignoredOptions(request: RecallRequest, { strategy, retrieval, hasSelector }: ChosenWays): string[] {
  const asked = OPTIONS.filter((option) => isAsked(request[option]));
  if (strategy !== 'context')
    return asked.length === 0 ? [] : [`The strategy "${strategy}" ignores ${asked.join(', ')}.`];
  return [
    ...(asked.includes('tools') && retrieval !== 'keyword_overlap'
      ? [`The retrieval "${retrieval}" ignores tools: only "keyword_overlap" uses them.`]
      : []),
    ...(asked.includes('recentTools') && retrieval !== 'keyword_overlap' && !hasSelector
      ? ['Nothing uses recentTools: no model selects, and the retrieval is not "keyword_overlap".']
      : []),
    ...(request.diversify === true && hasSelector ? ['The selection model ignores diversify: it chooses itself.'] : []),
  ];
}

const isAsked = (value: RecallRequest[Option]): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== 0;
