import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../platform/base/domain.errors.js';
import { asAdmin, asProposer, asReviewer, asReviewerOrAdmin, type Caller } from './caller.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the access guard on every route that is not public. */
    caller?: Caller;
  }
}

/** The caller of a request. Throws `unauthenticated` on a route that admits everybody. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new DomainError('unauthenticated', 'access.no_credential', 'Send a credential.');
  return caller;
}

/** A parameter made from the caller of the request. */
const fromCaller = <T>(make: (caller: Caller) => T) =>
  createParamDecorator((_: unknown, context: ExecutionContext) => make(callerOf(context.switchToHttp().getRequest())));

export const CurrentCaller = fromCaller((caller) => caller);
export const CurrentReviewer = fromCaller(asReviewer);
export const CurrentReviewerOrAdmin = fromCaller(asReviewerOrAdmin);
export const CurrentAdmin = fromCaller(asAdmin);
export const CurrentProposer = fromCaller(asProposer);
