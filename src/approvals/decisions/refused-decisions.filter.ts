import { type ArgumentsHost, Catch } from '@nestjs/common';
import { z } from 'zod';
import type { CallerRequest } from '../../access/identity/caller.decorator.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { ProblemFilter } from '../../platform/http/problem.filter.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { type Decided, isRefusal, RecordRefusal } from './record-refusal.js';

const METHOD = z.enum(['POST', 'PUT']);
const OnAnItem = z.object({ method: METHOD, params: z.object({ id: z.uuid() }) });
const OnASkill = z.object({ method: METHOD, params: z.object({ name: SkillName }) });

/** Around every route that decides, and before the guard as well: whoever is known and refused is remembered. */
@Catch(DomainError)
export class RefusedDecisions extends ProblemFilter {
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
function subjectOf(request: unknown): Decided | undefined {
  const item = OnAnItem.safeParse(request);
  if (item.success) return { type: 'approval', id: item.data.params.id };
  const skill = OnASkill.safeParse(request);
  return skill.success ? { type: 'skill', id: skill.data.params.name } : undefined;
}
