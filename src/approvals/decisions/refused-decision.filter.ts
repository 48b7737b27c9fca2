import { type ArgumentsHost, Catch } from '@nestjs/common';
import { z } from 'zod';
import type { CallerRequest } from '../../access/identity/caller.decorator.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { ProblemFilter } from '../../platform/http/problem.filter.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { type DecisionSubject, isRefusal, RecordRefusal } from './record-refusal.js';

const METHOD = z.enum(['POST', 'PUT']);
const ProposalRequest = z.object({ method: METHOD, params: z.object({ id: z.uuid() }) });
const SkillRequest = z.object({ method: METHOD, params: z.object({ name: SkillName }) });

/** Around every route that decides, and before the guard as well: whoever is known and refused is remembered. */
@Catch(DomainError)
export class RefusedDecisionFilter extends ProblemFilter {
  constructor(private readonly recordRefusal: RecordRefusal) {
    super();
  }

  override async catch(error: DomainError, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<CallerRequest>();
    const { caller } = request;
    const subject = subjectOf(request);
    if (caller && subject && isRefusal(error)) await this.recordRefusal.record(subject, caller, error.code);
    super.catch(error, host);
  }
}

/** What was to be decided on; undefined for a request that only looks. */
function subjectOf(request: unknown): DecisionSubject | undefined {
  const proposal = ProposalRequest.safeParse(request);
  if (proposal.success) return { type: 'proposal', id: proposal.data.params.id };
  const skill = SkillRequest.safeParse(request);
  return skill.success ? { type: 'skill', id: skill.data.params.name } : undefined;
}
