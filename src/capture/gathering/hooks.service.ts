import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import { Reporters } from '../../access/identity/reporters.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { HookAnswer, HookPayload } from '../hook-events/hook.schema.js';
import { readHook } from '../hook-events/hooks.importer.js';
import type { GatheredFormat } from '../importers/gathered-format.js';
import { Gathering } from './gathering.service.js';

/** Hooks come in here, prompts and all; `readHook` takes out what may stay, before anything is stored or logged. */
@Injectable()
export class Hooks {
  constructor(
    private readonly clock: Clock,
    private readonly reporters: Reporters,
    private readonly gathering: Gathering,
  ) {}

  /** The answer is empty: it neither blocks nor steers the agent, whatever the event. */
  async take(
    caller: Caller,
    named: string | undefined,
    { format }: GatheredFormat,
    hook: HookPayload,
  ): Promise<HookAnswer> {
    const agent = await this.reporters.reporter(caller, named);
    const read = readHook(hook, this.clock.now());
    if (read !== undefined) await this.gathering.add(agent, [{ format, key: read.gathering, pieces: [read.piece] }]);
    return {};
  }
}
