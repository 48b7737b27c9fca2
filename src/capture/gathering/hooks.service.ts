import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import { ReporterResolver } from '../../access/identity/reporter-resolver.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { HookResponse } from '../hook-events/hook.schema.js';
import type { ProductHook } from '../hook-events/products.js';
import type { FragmentFormat } from '../importers/fragment-format.js';
import { sessionAgentName } from '../report/agent-name.js';
import { FragmentAssembler } from './fragment-assembler.service.js';
import { FragmentReader } from './fragment-reader.service.js';

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
   * Stores the event as a fragment. A service or person that names no agent reports for the agent of the project. The response is empty for every event, so that it neither blocks nor steers the
   * agent.
   */
  async receive(
    caller: Caller,
    agentName: string | undefined,
    { format }: FragmentFormat,
    hook: ProductHook,
  ): Promise<HookResponse> {
    const ofProject = caller.kind === 'agent' ? undefined : projectAgentOf(format, hook);
    const agent = await this.reporters.resolve(caller, agentName ?? ofProject);
    const read = await this.reader.readHook(caller.id, hook, this.clock.now());
    if (read !== undefined)
      await this.assembler.add(agent, [{ format, key: read.sessionKey, fragments: [read.fragment] }]);
    return {};
  }
}
