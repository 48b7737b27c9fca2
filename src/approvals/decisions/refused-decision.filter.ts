import { type ArgumentsHost, Catch } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DomainError } from '../../platform/base/domain.errors.js';
import { ProblemFilter } from '../../platform/http/problem.filter.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { type DecisionSubject, isRefusal, RecordRefusal } from './record-refusal.js';

const METHOD = z.enum(['POST', 'PUT']);
const ProposalRequest = z.object({ method: METHOD, params: z.object({ id: z.uuid() }) });
const SkillRequest = z.object({ method: METHOD, params: z.object({ name: SkillName }) });

/** Records refused decisions of authenticated callers, on every deciding route, including refusals by the guard. */
@Catch(DomainError)
export class RefusedDecisionFilter extends ProblemFilter {
  constructor(private readonly recordRefusal: RecordRefusal) {
    super();
  }

  override async catch(error: DomainError, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    const subject = subjectOf(request);
    if (caller && subject && isRefusal(error)) await this.recordRefusal.record(subject, caller, error.code);
    super.catch(error, host);
  }
}

/** The subject of the decision; undefined for a request that decides nothing. */
export function subjectOf(request: unknown): DecisionSubject | undefined {
  const proposal = ProposalRequest.safeParse(request);
  if (proposal.success) return { type: 'proposal', id: proposal.data.params.id };
  const skill = SkillRequest.safeParse(request);
  return skill.success ? { type: 'skill', id: skill.data.params.name } : undefined;
}
