import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { ReporterResolver } from '../../access/identity/reporter-resolver.service.js';
import { Clock } from '../../platform/base/clock.js';
import { HookFacts } from '../hook-events/hook-event.js';
import type { ProductHook } from '../hook-events/products.js';
import type { FragmentFormat } from '../importers/fragment-format.js';
import { sessionAgentName } from '../report/agent-name.js';
import { FragmentAssembler } from './fragment-assembler.service.js';
import { FragmentReader } from './fragment-reader.service.js';
import type { StoredSession } from './stored-sessions.service.js';

/** The agent of an event, and what was kept of it. */
export interface ReceivedHook {
  readonly agent: Reporter;
  /** Undefined for an event that says nothing about an execution. */
  readonly kept: { readonly facts: HookFacts; readonly session: StoredSession } | undefined;
}

/** The agent that an import of the session's transcript names. */
const projectAgentOf = (format: string, { transcript_path: file, cwd }: ProductHook): string | undefined =>
  sessionAgentName(format.replace(/-hooks$/, ''), { file, cwd });

/**
 * Receives hook events, prompts included. `readHook` keeps only what may be stored, before anything is stored or
 * logged.
 */
@Injectable()
export class Hooks {
  constructor(
    private readonly clock: Clock,
    private readonly reporters: ReporterResolver,
    private readonly reader: FragmentReader,
    private readonly assembler: FragmentAssembler,
  ) {}

  /**
   * Stores the event as a fragment of its session. A service or person that names no agent reports for the agent of the
   * project.
   */
  async receive(
    caller: Caller,
    agentName: string | undefined,
    { format }: FragmentFormat,
    hook: ProductHook,
  ): Promise<ReceivedHook> {
    const ofProject = caller.kind === 'agent' ? undefined : projectAgentOf(format, hook);
    const agent = await this.reporters.resolve(caller, agentName ?? ofProject);
    const read = await this.reader.readHook(caller.id, hook, this.clock.now());
    if (read === undefined) return { agent, kept: undefined };
    const batch = { format, key: read.sessionKey, fragments: [read.fragment] };
    const [session] = (await this.assembler.add(agent, [batch])).assemblies;
    return { agent, kept: session && { facts: HookFacts.parse(read.fragment.facts), session } };
  }
}
