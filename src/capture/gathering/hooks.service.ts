import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import { ReporterResolver } from '../../access/identity/reporter-resolver.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { HookPayload, HookResponse } from '../hook-events/hook.schema.js';
import { readHook } from '../hook-events/hooks.importer.js';
import type { FragmentFormat } from '../importers/fragment-format.js';
import { FragmentAssembler } from './fragment-assembler.service.js';

/** Hooks come in here, prompts and all; `readHook` takes out what may stay, before anything is stored or logged. */
@Injectable()
export class Hooks {
  constructor(
    private readonly clock: Clock,
    private readonly reporters: ReporterResolver,
    private readonly assembler: FragmentAssembler,
  ) {}

  /** The answer is empty: it neither blocks nor steers the agent, whatever the event. */
  async receive(
    caller: Caller,
    named: string | undefined,
    { format }: FragmentFormat,
    hook: HookPayload,
  ): Promise<HookResponse> {
    const agent = await this.reporters.resolve(caller, named);
    const read = readHook(hook, this.clock.now());
    if (read !== undefined)
      await this.assembler.add(agent, [{ format, key: read.sessionKey, fragments: [read.fragment] }]);
    return {};
  }
}
