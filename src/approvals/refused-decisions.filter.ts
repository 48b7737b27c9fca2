import { type ArgumentsHost, Catch } from '@nestjs/common';
import { z } from 'zod';
import type { CallerRequest } from '../access/caller.decorator.js';
import { DomainError } from '../platform/domain.errors.js';
import { ProblemFilter } from '../platform/problem.filter.js';
import { Refusals } from './refusals.service.js';

const Deciding = z.object({ method: z.enum(['POST', 'PUT']), params: z.object({ id: z.uuid() }) });

const REFUSALS: ReadonlySet<string> = new Set(['forbidden', 'conflict', 'precondition_failed']);

/** Around every route that decides, and before the guard as well: whoever is known and refused is remembered. */
@Catch(DomainError)
export class RefusedDecisions extends ProblemFilter {
  constructor(private readonly refusals: Refusals) {
    super();
  }

  override async catch(error: DomainError, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<CallerRequest>();
    const { caller } = request;
    const deciding = Deciding.safeParse(request);
    const isRefusal = REFUSALS.has(error.kind);
    if (caller && isRefusal && deciding.success)
      await this.refusals.record(deciding.data.params.id, caller, error.code);
    super.catch(error, host);
  }
}
