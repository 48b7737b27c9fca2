import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../access/identity/caller.js';
import { Hooks, type ReceivedHook } from '../capture/gathering/hooks.service.js';
import type { HookFacts } from '../capture/hook-events/hook-event.js';
import { hooksFormatOf } from '../capture/hook-events/hooks.importer.js';
import { type HookProduct, hookPayloadOf, isHookProduct, type ProductHook } from '../capture/hook-events/products.js';
import { messageOf } from '../platform/base/error-text.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { redact } from '../untrusted/redaction/redact.js';
import { responseOf } from './dialects.js';
import { FailureAdvice, failedCallOf, type WaitingSession } from './failure-advice.service.js';
import { GateRefusal } from './gate-refusal.service.js';
import { type HookAnswer, NOTHING } from './hook-answer.js';
import { PauseCache } from './pause-cache.service.js';
import { PromptLessons } from './prompt-lessons.service.js';
import { SessionPlaces } from './session-places.service.js';
import { StartLessons } from './start-lessons.service.js';
import { StartMemory } from './start-memory.service.js';

/** An event as a client sends it. */
interface SentHook {
  readonly product: string;
  readonly event: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The agent's name, from an importer that reports for others. */
  readonly agent: string | undefined;
  /** Whether an agent waits for the answer. Undefined: if it sends the event itself. */
  readonly isLive: boolean | undefined;
  /** The address of the project's git remote. */
  readonly origin: string | undefined;
  /** The client asks before calls. Hooks that only report send the same event. */
  readonly mayRefuse: boolean;
}

/**
 * Stores an event of an agent's hooks and says what the session should know now. An answer that fails or takes too long
 * is empty: it never stops the agent.
 */
@Injectable()
export class HookAnswers {
  private readonly logger = new Logger(HookAnswers.name);
  private unknown = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly hooks: Hooks,
    private readonly places: SessionPlaces,
    private readonly pauses: PauseCache,
    private readonly start: StartLessons,
    private readonly memory: StartMemory,
    private readonly prompts: PromptLessons,
    private readonly failures: FailureAdvice,
    private readonly gates: GateRefusal,
  ) {}

  /** Events of products, or of names, that this version does not know, since the start of the process. */
  get unknownEvents(): number {
    return this.unknown;
  }

  /** The body of the response, in the product's dialect. Throws if the event cannot be stored. */
  async receive(caller: Caller, sentHook: SentHook): Promise<string> {
    const { product, event, body, agent, isLive, origin, mayRefuse } = sentHook;
    const hook = isHookProduct(product) ? hookPayloadOf(product, event, body) : undefined;
    if (!isHookProduct(product) || hook === undefined) {
      this.unknown += 1;
      return responseOf('claude-code', event, NOTHING);
    }
    const sent = origin === undefined ? hook : { ...hook, origin };
    const received = await this.hooks.receive(caller, agent, hooksFormatOf(product), sent);
    // Otherwise the event is reported after the fact: an answer would count as delivered to no one.
    const isAwaited = isLive ?? caller.kind === 'agent';
    if (!isAwaited || (hook.hook_event_name === 'PreToolUse' && !mayRefuse)) return responseOf(product, event, NOTHING);
    return responseOf(product, event, await this.inTime(caller, product, sent, received));
  }

  private async inTime(
    caller: Caller,
    product: HookProduct,
    hook: ProductHook,
    received: ReceivedHook,
  ): Promise<HookAnswer> {
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<HookAnswer>((resolve) => {
      timer = setTimeout(() => {
        isLate = true;
        resolve(NOTHING);
      }, this.config.hookDeadlineMs);
    });
    const answer = this.answer(caller, product, hook, received, () => isLate).catch((error: unknown) => {
      this.logger.warn(`no answer to a hook: ${redact(messageOf(error)).text}`);
      return NOTHING;
    });
    return Promise.race([answer, deadline]).finally(() => clearTimeout(timer));
  }

  private async answer(
    caller: Caller,
    product: HookProduct,
    { prompt, session_id: sessionId }: ProductHook,
    { agent: reporter, kept }: ReceivedHook,
    isLate: () => boolean,
  ): Promise<HookAnswer> {
    if (kept === undefined) return NOTHING;
    const { facts, session: stored } = kept;
    const place = await this.places.after(product, facts, stored);
    const { id, name, source } = reporter;
    const sessionIds = [facts.session, sessionId];
    if (await this.pauses.covers({ owner: source.owner, projects: place.projects, sessionIds })) return NOTHING;
    const session: WaitingSession = {
      agent: { kind: 'agent', id, name },
      id: facts.session,
      stored,
      harness: product,
      isLate,
    };
    if (facts.event === 'SessionStart') {
      const lessons = await this.start.answer(session, place);
      // The memory is the agent's own: no other credential may read it, and sub-agents get none unless asked for.
      const isOwn = caller.kind === 'agent' && (!facts.subAgent || this.config.subAgentsUseSessionMemory);
      return isOwn ? bothTexts(lessons, await this.memory.answer(session, source.owner, place)) : lessons;
    }
    if (facts.event === 'UserPromptSubmit' && !facts.subAgent)
      return this.prompts.answer(caller, session, prompt ?? '');
    if (!this.config.subAgentsUseSessionMemory && usesMemoryAsSubAgent(facts))
      return { kind: 'refuse', reason: NO_MEMORY };
    if (facts.event === 'PreToolUse') return this.gates.answer(session, facts, place);
    const failed = failedCallOf(facts);
    return failed ? this.failures.answer(session, failed, place) : NOTHING;
  }
}

function bothTexts(first: HookAnswer, second: HookAnswer): HookAnswer {
  if (first.kind !== 'text' || second.kind !== 'text') return first.kind === 'text' ? first : second;
  return { kind: 'text', text: `${first.text}\n${second.text}` };
}

/** The tools of the session memory, as products name a tool of an MCP server: `mcp__guildbook__read_session`. */
const TOOLS = /guildbook\W?_{0,3}(?:recall_sessions|read_session)$/;
const REMEMBER = /guildbook\W?_{0,3}remember$/;

/** Why a sub-agent's call is refused that uses the session memory: it is that of the agent that started it. */
const NO_MEMORY =
  'Guildbook: a sub-agent has no session memory. Return what matters to the agent that started you; it decides what to keep.';

/** Returns whether a sub-agent is about to read the session memory or to write to it. */
export function usesMemoryAsSubAgent({
  event,
  subAgent,
  tool,
}: Pick<HookFacts, 'event' | 'subAgent' | 'tool'>): boolean {
  if (event !== 'PreToolUse' || !subAgent || tool === undefined) return false;
  const { name, arguments: given = [] } = tool;
  return TOOLS.test(name) || (REMEMBER.test(name) && given.some(({ key }) => key === 'kind'));
}
