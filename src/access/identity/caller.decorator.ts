import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../../platform/base/domain.errors.js';
import { asAdmin, asProposer, asReviewer, asReviewerOrAdmin, type Caller } from './caller.js';

export interface CallerRequest {
  caller?: Caller;
}

function callerOf(context: ExecutionContext): Caller {
  const { caller } = context.switchToHttp().getRequest<CallerRequest>();
  if (!caller) throw new DomainError('unauthenticated', 'access.no_credential', 'Send a credential.');
  return caller;
}

export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) => callerOf(context));
export const CurrentReviewer = createParamDecorator((_: unknown, context: ExecutionContext) =>
  asReviewer(callerOf(context)),
);
export const CurrentReviewerOrAdmin = createParamDecorator((_: unknown, context: ExecutionContext) =>
  asReviewerOrAdmin(callerOf(context)),
);
export const CurrentAdmin = createParamDecorator((_: unknown, context: ExecutionContext) => asAdmin(callerOf(context)));
export const CurrentProposer = createParamDecorator((_: unknown, context: ExecutionContext) =>
  asProposer(callerOf(context)),
);
