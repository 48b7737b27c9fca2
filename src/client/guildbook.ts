import type { z } from 'zod';
import type {
  AgentChange,
  AGENT_HEADER as AgentHeader,
  Issued,
  Me,
  NewAgent,
  NewPerson,
  NewService,
  OwnAgent,
  PersonChange,
  Principal,
  PrincipalList,
  Rotation,
  SignedIn,
  SignInLink,
} from '../access/identity/access.schema.js';
import type {
  EditProposal,
  Override,
  ProposalDetails,
  ProposalPage,
  ProposalQuery,
  ProposalSummary,
  Resolve,
  VotedProposal,
} from '../approvals/proposals/proposals.schema.js';
import type { WriterList } from '../approvals/queue/writer-record.schema.js';
import type { ExecutionReport } from '../capture/report/execution-report.schema.js';
import type {
  BatchReceipt,
  ExecutionDetail,
  ExecutionList,
  LearningStatus,
  ReportReceipt,
} from '../capture/store/executions.schema.js';
import type {
  ConsolidationPause,
  ConsolidationPauseList,
  ConsolidationRun,
  ConsolidationRunList,
  ConsolidationStarted,
  ConsolidationUndoResult,
  NewConsolidationPause,
  StartConsolidation,
} from '../consolidate/consolidation-run.schema.js';
import type { MergeSearch } from '../consolidate/merges.schema.js';
import type { DeliveredByMoment, EffectList, SkillEffect } from '../effect/effect.schema.js';
import type {
  CandidateList,
  CandidateQuery,
  FamilyDetails,
  FamilyList,
  FamilyQuery,
} from '../evolve/cycle/candidates.schema.js';
import type { Cycle, CycleList } from '../evolve/cycle/cycles.schema.js';
import type { HookState } from '../hooks/hook-response.schema.js';
import type {
  InclusionProof,
  JournalCheckpoint,
  JournalPage,
  JournalVerification,
  StoredEntry,
} from '../journal/journal.schema.js';
import type { NewMemory, RememberBatch, RememberResult } from '../memory/lessons/remember.schema.js';
import type {
  CorrectLesson,
  LessonList,
  MemoryEntry,
  ShareLesson,
  Tombstone,
  TombstoneList,
  VerifyLesson,
} from '../memory/store/memory.schema.js';
import type { UpkeepRun, UpkeepRunList, UpkeepUndoResult } from '../memory/upkeep/upkeep.schema.js';
import type { Ready, ServerState } from '../platform/health/health.schema.js';
import type { Promotion, PromotionList } from '../promote/promotion.schema.js';
import type { ProposerUsage } from '../propose/spending/proposer-usage.schema.js';
import type { GateDecision, ToolCallCheck } from '../recall/gate/gate.schema.js';
import type { NewRecall, Recall, RecallState, ToolAnswer } from '../recall/ranking/recall.schema.js';
import type { NewRetentionRun, RetentionRun, RetentionState } from '../retention/retention.schema.js';
import type {
  EditEntry,
  NewStoredEntry,
  PreambleQuery,
  SessionClose,
  StoredEntry as SessionEntry,
  SessionQuery,
  SessionRecall,
  SessionStart,
  StartedSession,
  StoredEntryList,
  StoredHitList,
  StoredPreamble,
  StoredSessionList,
} from '../sessions/store/stored-session.schema.js';
import type { Skill, SkillList } from '../skills/catalogue/skills.schema.js';
import type { DeliveryPause, DeliveryPauseList, NewDeliveryPause } from '../skills/delivery/delivery-pause.schema.js';
import type { Rollout } from '../skills/delivery/rollout.schema.js';
import type { NewSkillUse, SkillUseResult } from '../skills/delivery/skill-use.schema.js';
import type { RepositoryState } from '../skills/publishing/remote.schema.js';
import type {
  ActiveEmbedder,
  CancelledRun,
  EmbedderCheckpoint,
  EmbedderCheckpointList,
  GuardedOperation,
  TuningPlan,
  TuningPreflight,
  TuningRun,
  TuningRunPage,
  TuningStatus,
} from '../tuning/checkpoints/tuning.schema.js';
import type { AddedAuditStream, AuditStreamList, NewAuditStream } from '../webhooks/audit-streams.schema.js';
import type {
  AddedWebhook,
  NewWebhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
} from '../webhooks/webhooks.schema.js';

import { Connection, type Query } from './connection.js';

export { GuildbookError, type GuildbookOptions, NoResponseError } from './connection.js';

const JOURNAL_STREAMS = '/v1/journal/streams';
const TUNING = '/v1/memory/tuning';
const checkpoint = (id: string): string => `${TUNING}/checkpoints/${encodeURIComponent(id)}`;
const LINES = { 'content-type': 'application/x-ndjson' };
const linesOf = (documents: readonly object[]): string => documents.map((one) => JSON.stringify(one)).join('\n');
/** Typed by the server's constant. Importing its value would load the server's schemas. */
const AGENT_HEADER: typeof AgentHeader = 'guildbook-agent';

/** The HTTP API with types. Depends only on `fetch`. Throws `GuildbookError` when the server refuses a request. */
export class Guildbook extends Connection {
  /** For administrators. */
  readonly serverState = () => this.call<ServerState>('GET', '/v1/server');
  readonly health = () => this.call<Ready>('GET', '/readyz');
  readonly me = () => this.call<Me>('GET', '/v1/me');
  readonly signIn = (token: string) => this.call<SignedIn>('POST', '/v1/sign-in', { token });
  readonly signInLink = (token: string) => this.call<SignInLink>('POST', '/v1/sign-in/link', { token });
  readonly signOut = () => this.call<void>('POST', '/v1/sign-out');

  readonly agents = {
    list: () => this.call<PrincipalList>('GET', '/v1/agents'),
    add: (agent: NewAgent) => this.call<Issued>('POST', '/v1/agents', agent),
    change: (id: string, change: AgentChange) =>
      this.call<Principal>('PATCH', `/v1/agents/${encodeURIComponent(id)}`, change),
    /** A token of your own agent for a product. */
    own: (agent: OwnAgent) => this.call<Issued>('POST', '/v1/me/agents', agent),
  };
  readonly ownToken = {
    /** Revokes the token of this client. Needs the token of an agent. */
    revoke: () => this.call<void>('DELETE', '/v1/me/token'),
  };
  readonly services = {
    list: () => this.call<PrincipalList>('GET', '/v1/services'),
    add: (service: NewService) => this.call<Issued>('POST', '/v1/services', service),
  };
  readonly people = {
    list: () => this.call<PrincipalList>('GET', '/v1/people'),
    add: (person: NewPerson) => this.call<Issued>('POST', '/v1/people', person),
    change: (id: string, change: PersonChange) =>
      this.call<Principal>('PATCH', `/v1/people/${encodeURIComponent(id)}`, change),
    invite: (id: string) => this.call<Issued>('POST', `/v1/people/${encodeURIComponent(id)}/invite`),
  };
  readonly principals = {
    rotate: (id: string, rotation: Rotation = {}) =>
      this.call<Issued>('POST', `/v1/principals/${encodeURIComponent(id)}/rotate`, rotation),
    disable: (id: string) => this.call<Principal>('DELETE', `/v1/principals/${encodeURIComponent(id)}`),
  };

  readonly executions = {
    /** Only importers set `agent`: the agent that ran the execution. */
    report: (report: ExecutionReport, agent?: string) =>
      this.call<ReportReceipt>('POST', '/v1/executions', report, {}, agent ? { [AGENT_HEADER]: agent } : {}),
    /** Sends up to `MAX_BATCH` reports. The answer has one line for each report, in the same order. */
    reportAll: (reports: readonly ExecutionReport[], agent?: string) => {
      const headers = { ...LINES, ...(agent ? { [AGENT_HEADER]: agent } : {}) };
      return this.call<BatchReceipt>('POST', '/v1/executions/batch', linesOf(reports), {}, headers);
    },
    list: (query: Query = {}) => this.call<ExecutionList>('GET', '/v1/executions', undefined, query),
    show: (id: string) => this.call<ExecutionDetail>('GET', `/v1/executions/${encodeURIComponent(id)}`),
    status: () => this.call<LearningStatus>('GET', '/v1/executions/status'),
  };
  readonly lesson = {
    show: (id: string) => this.call<MemoryEntry>('GET', `/v1/lessons/${encodeURIComponent(id)}`),
    correct: (id: string, correction: z.input<typeof CorrectLesson>) =>
      this.call<MemoryEntry>('POST', `/v1/lessons/${encodeURIComponent(id)}/correct`, correction),
    delete: (id: string, reason: string) =>
      this.call<MemoryEntry>('POST', `/v1/lessons/${encodeURIComponent(id)}/delete`, { reason }),
    pin: (id: string, pinned: boolean) =>
      this.call<MemoryEntry>('PUT', `/v1/lessons/${encodeURIComponent(id)}/pin`, { pinned }),
    retire: (id: string, reason: string) =>
      this.call<MemoryEntry>('POST', `/v1/lessons/${encodeURIComponent(id)}/retire`, { reason }),
    share: (id: string, request: ShareLesson) =>
      this.call<MemoryEntry>('POST', `/v1/lessons/${encodeURIComponent(id)}/share`, request),
    unshare: (id: string, reason: string) =>
      this.call<MemoryEntry>('POST', `/v1/lessons/${encodeURIComponent(id)}/unshare`, { reason }),
    verify: (id: string, verification: VerifyLesson) =>
      this.call<MemoryEntry>('PUT', `/v1/lessons/${encodeURIComponent(id)}/provenance`, verification),
  };
  readonly tombstones = {
    list: (query: Query = {}) => this.call<TombstoneList>('GET', '/v1/tombstones', undefined, query),
    show: (id: string) => this.call<Tombstone>('GET', `/v1/tombstones/${encodeURIComponent(id)}`),
  };
  readonly upkeep = {
    run: (dryRun: boolean) => this.call<UpkeepRun>('POST', '/v1/memory/upkeep', { dryRun }),
    list: (query: Query = {}) => this.call<UpkeepRunList>('GET', '/v1/memory/upkeep', undefined, query),
    show: (id: string) => this.call<UpkeepRun>('GET', `/v1/memory/upkeep/${encodeURIComponent(id)}`),
    undo: (id: string) => this.call<UpkeepUndoResult>('POST', `/v1/memory/upkeep/${encodeURIComponent(id)}/undo`),
  };
  readonly consolidation = {
    run: (start: Partial<StartConsolidation>) =>
      this.call<ConsolidationStarted>('POST', '/v1/consolidation/runs', start),
    list: (query: Query = {}) => this.call<ConsolidationRunList>('GET', '/v1/consolidation/runs', undefined, query),
    show: (id: string) => this.call<ConsolidationRun>('GET', `/v1/consolidation/runs/${encodeURIComponent(id)}`),
    undo: (id: string) =>
      this.call<ConsolidationUndoResult>('POST', `/v1/consolidation/runs/${encodeURIComponent(id)}/undo`),
    pauses: () => this.call<ConsolidationPauseList>('GET', '/v1/consolidation/pauses'),
    pause: (pause: NewConsolidationPause) => this.call<ConsolidationPause>('POST', '/v1/consolidation/pauses', pause),
    resume: (id: string) => this.call<void>('DELETE', `/v1/consolidation/pauses/${encodeURIComponent(id)}`),
  };
  readonly mergeSkills = (dryRun: boolean) => this.call<MergeSearch>('POST', '/v1/consolidation/merges', { dryRun });
  readonly tuning = {
    preflight: (plan: z.input<typeof TuningPlan> = {}) =>
      this.call<TuningPreflight>('POST', `${TUNING}/preflight`, plan),
    start: (plan: z.input<typeof TuningPlan> = {}) => this.call<TuningRun>('POST', `${TUNING}/runs`, plan),
    resume: (id: string) => this.call<TuningRun>('POST', `${TUNING}/runs/${encodeURIComponent(id)}/resume`),
    status: (id?: string) =>
      this.call<TuningStatus>(
        'GET',
        id === undefined ? `${TUNING}/status` : `${TUNING}/runs/${encodeURIComponent(id)}`,
      ),
    cancel: (operation: GuardedOperation) => this.call<CancelledRun>('POST', `${TUNING}/cancel`, operation),
    runs: (query: Query = {}) => this.call<TuningRunPage>('GET', `${TUNING}/runs`, undefined, query),
    active: () => this.call<ActiveEmbedder>('GET', `${TUNING}/embedder`),
    checkpoints: () => this.call<EmbedderCheckpointList>('GET', `${TUNING}/checkpoints`),
    rollback: (id: string, operation: GuardedOperation) =>
      this.call<ActiveEmbedder>('POST', `${checkpoint(id)}/rollback`, operation),
    delete: (id: string, operation: GuardedOperation) =>
      this.call<EmbedderCheckpoint>('POST', `${checkpoint(id)}/delete`, operation),
  };
  /** What agents keep from session to session. Agents use their own; a person names the agent. */
  readonly sessionMemory = {
    save: (entry: z.input<typeof NewStoredEntry>) =>
      this.call<SessionEntry>('POST', '/v1/session-memory/entries', entry),
    recall: (request: z.input<typeof SessionRecall> = {}) =>
      this.call<StoredHitList>('POST', '/v1/session-memory/recall', request),
    preamble: (query: PreambleQuery = {}) =>
      this.call<StoredPreamble>('GET', '/v1/session-memory/preamble', undefined, { ...query }),
    list: (query: SessionQuery = {}) =>
      this.call<StoredSessionList>('GET', '/v1/session-memory/sessions', undefined, { ...query }),
    start: (start: SessionStart) => this.call<StartedSession>('POST', '/v1/session-memory/sessions', start),
    read: (session: string, query: SessionQuery = {}) =>
      this.call<StoredEntryList>('GET', `/v1/session-memory/sessions/${encodeURIComponent(session)}`, undefined, {
        ...query,
      }),
    close: (session: string, close: z.input<typeof SessionClose>) =>
      this.call<void>('POST', `/v1/session-memory/sessions/${encodeURIComponent(session)}/close`, close),
    show: (id: string, query: SessionQuery = {}) =>
      this.call<SessionEntry>('GET', `/v1/session-memory/entries/${encodeURIComponent(id)}`, undefined, { ...query }),
    edit: (id: string, change: z.input<typeof EditEntry>) =>
      this.call<SessionEntry>('PUT', `/v1/session-memory/entries/${encodeURIComponent(id)}`, change),
    delete: (id: string, reason: string) =>
      this.call<void>('POST', `/v1/session-memory/entries/${encodeURIComponent(id)}/delete`, { reason }),
  };
  readonly promotions = {
    list: (query: Query = {}) => this.call<PromotionList>('GET', '/v1/promotions', undefined, query),
    show: (id: string) => this.call<Promotion>('GET', `/v1/promotions/${encodeURIComponent(id)}`),
    check: (id: string) => this.call<Promotion>('POST', `/v1/promotions/${encodeURIComponent(id)}/check`),
  };
  readonly lessons = (query: Query = {}) => this.call<LessonList>('GET', '/v1/lessons', undefined, query);

  readonly proposer = {
    usage: (query: Query = {}) => this.call<ProposerUsage>('GET', '/v1/proposer/usage', undefined, query),
  };
  /** The recall settings and the progress of the vector index. */
  readonly recallState = () => this.call<RecallState>('GET', '/v1/recall');
  /** Calls a memory tool for the model. Needs the token of an agent. */
  readonly memoryTool = (name: string, input: object = {}, sessionId?: string) =>
    this.call<ToolAnswer>('POST', `/v1/recall/tools/${encodeURIComponent(name)}`, {
      input,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  /** The memories that an agent receives for a task. People and services name the agent. */
  readonly recall = (recall: NewRecall) => this.call<Recall>('POST', '/v1/recall', recall);

  /** Stores a memory. Needs the token of an agent. */
  readonly remember = (memory: Pick<NewMemory, 'lesson'> & Partial<NewMemory>) =>
    this.call<RememberResult>('POST', '/v1/memories', memory);
  /** Stores up to `MAX_BATCH` memories. The answer has one line for each, in the same order. */
  readonly rememberAll = (memories: readonly (Pick<NewMemory, 'lesson'> & Partial<NewMemory>)[]) =>
    this.call<RememberBatch>('POST', '/v1/memories/batch', linesOf(memories), {}, LINES);
  /** Asks whether these memories may authorise a tool call. Needs the token of an agent. */
  readonly gate = (call: z.input<typeof ToolCallCheck>) => this.call<GateDecision>('POST', '/v1/gate', call);

  /** Sends one MCP message as JSON. The response holds MCP messages or a problem. */
  readonly mcp = (message: string, headers: Readonly<Record<string, string>> = {}) =>
    this.raw('POST', '/mcp', message, {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });

  readonly evolver = {
    run: (dryRun: boolean) => this.call<Cycle>('POST', '/v1/evolver/cycles', { dryRun }),
    /** Starts a cycle and returns it as it runs: it may take longer than a request. See `cycleToEnd`. */
    start: (dryRun: boolean) => this.call<Cycle>('POST', '/v1/evolver/cycles', { dryRun, wait: false }),
    reports: (query: Query = {}) => this.call<CycleList>('GET', '/v1/evolver/reports', undefined, query),
    report: (id: string) => this.call<Cycle>('GET', `/v1/evolver/reports/${encodeURIComponent(id)}`),
    candidates: (query: Partial<CandidateQuery> = {}) =>
      this.call<CandidateList>('GET', '/v1/evolver/candidates', undefined, query),
    families: (query: Partial<FamilyQuery> = {}) =>
      this.call<FamilyList>('GET', '/v1/evolver/families', undefined, query),
    family: (fingerprint: string) =>
      this.call<FamilyDetails>('GET', `/v1/evolver/families/${encodeURIComponent(fingerprint)}`),
    writers: (query: Query = {}) => this.call<WriterList>('GET', '/v1/evolver/writers', undefined, query),
  };

  readonly proposals = {
    list: (query: Partial<ProposalQuery> = {}) => this.call<ProposalPage>('GET', '/v1/proposals', undefined, query),
    show: (id: string) => this.call<ProposalDetails>('GET', `/v1/proposals/${encodeURIComponent(id)}`),
    approve: (id: string, artifactSha256: string) =>
      this.call<VotedProposal>('POST', `/v1/proposals/${encodeURIComponent(id)}/approve`, { artifactSha256 }),
    override: (id: string, override: Override) =>
      this.call<VotedProposal>('POST', `/v1/proposals/${encodeURIComponent(id)}/override`, override),
    edit: (id: string, edit: EditProposal) =>
      this.call<ProposalSummary>('PUT', `/v1/proposals/${encodeURIComponent(id)}/skill`, edit),
    resolve: (id: string, resolution: Resolve) =>
      this.call<ProposalSummary>('POST', `/v1/proposals/${encodeURIComponent(id)}/resolve`, resolution),
    reopen: (id: string, reason: string) =>
      this.call<ProposalSummary>('POST', `/v1/proposals/${encodeURIComponent(id)}/reopen`, { reason }),
    reject: (id: string, reason: string) =>
      this.call<ProposalSummary>('POST', `/v1/proposals/${encodeURIComponent(id)}/reject`, { reason }),
  };

  readonly retireSkill = (proposalId: string, reason: string) =>
    this.call<ProposalSummary>('POST', `/v1/proposals/${encodeURIComponent(proposalId)}/retire`, { reason });

  readonly repository = () => this.call<RepositoryState>('GET', '/v1/repository');

  readonly skills = {
    list: () => this.call<SkillList>('GET', '/v1/skills'),
    show: (name: string) => this.call<Skill>('GET', `/v1/skills/${encodeURIComponent(name)}`),
    /** Only importers set `agent`: the agent that used the skill. */
    use: (name: string, use: NewSkillUse, agent?: string) =>
      this.call<SkillUseResult>(
        'POST',
        `/v1/skills/${encodeURIComponent(name)}/uses`,
        use,
        {},
        agent ? { [AGENT_HEADER]: agent } : {},
      ),
    rollout: (name: string, percent: Rollout['percent']) =>
      this.call<Rollout>('PUT', `/v1/skills/${encodeURIComponent(name)}/rollout`, { percent }),
    effect: (name: string) => this.call<SkillEffect>('GET', `/v1/skills/${encodeURIComponent(name)}/effect`),
    effects: () => this.call<EffectList>('GET', '/v1/effects'),
    deliveries: () => this.call<DeliveredByMoment>('GET', '/v1/deliveries'),
    hookState: () => this.call<HookState>('GET', '/v1/hooks'),
    rename: (name: string, to: string) =>
      this.call<ProposalSummary>('POST', `/v1/skills/${encodeURIComponent(name)}/rename`, { to }),
  };
  readonly pauses = {
    list: () => this.call<DeliveryPauseList>('GET', '/v1/deliveries/pauses'),
    add: (pause: NewDeliveryPause = {}) => this.call<DeliveryPause>('POST', '/v1/deliveries/pauses', pause),
    end: (id: string) => this.call<void>('DELETE', `/v1/deliveries/pauses/${encodeURIComponent(id)}`),
  };
  readonly webhooks = {
    list: () => this.call<WebhookList>('GET', '/v1/webhooks'),
    add: (webhook: Pick<NewWebhook, 'url'> & Partial<NewWebhook>) =>
      this.call<AddedWebhook>('POST', '/v1/webhooks', webhook),
    remove: (id: string) => this.call<void>('DELETE', `/v1/webhooks/${encodeURIComponent(id)}`),
    test: (id: string) => this.call<WebhookDelivery>('POST', `/v1/webhooks/${encodeURIComponent(id)}/test`),
    deliveries: (id: string, query: Query = {}) =>
      this.call<WebhookDeliveryList>('GET', `/v1/webhooks/${encodeURIComponent(id)}/deliveries`, undefined, query),
  };
  readonly auditStreams = {
    list: () => this.call<AuditStreamList>('GET', JOURNAL_STREAMS),
    add: (stream: Pick<NewAuditStream, 'url'> & Partial<NewAuditStream>) =>
      this.call<AddedAuditStream>('POST', JOURNAL_STREAMS, stream),
    remove: (id: string) => this.call<void>('DELETE', `${JOURNAL_STREAMS}/${encodeURIComponent(id)}`),
  };
  readonly retention = {
    state: () => this.call<RetentionState>('GET', '/v1/retention'),
    run: (run: Partial<NewRetentionRun> = {}) => this.call<RetentionRun>('POST', '/v1/retention/runs', run),
  };
  readonly journal = {
    list: (query: Query = {}) => this.call<JournalPage>('GET', '/v1/journal', undefined, query),
    verify: () => this.call<JournalVerification>('GET', '/v1/journal/verification'),
    checkpoint: () => this.call<JournalCheckpoint>('GET', '/v1/journal/checkpoint'),
    prove: (seq: number) => this.call<InclusionProof>('GET', `/v1/journal/${seq}/proof`),
    /** Yields the stored entries page by page, oldest first. */
    export: () => this.exportedEntries(),
  };

  private async *exportedEntries(): AsyncGenerator<StoredEntry[]> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { text } = await this.send('GET', '/v1/journal/export', undefined, { after });
      // Server and client share the schema of an entry.
      const page = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as StoredEntry]));
      if (page.length > 0) yield page;
      after = page.at(-1)?.seq;
    }
  }
}
