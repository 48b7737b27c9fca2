import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ACCESS_RULE, type AccessRule } from '../platform/access.decorator.js';
import { DomainError } from '../platform/domain.errors.js';
import { PUBLIC_ROUTE } from '../platform/public.decorator.js';
import { Access } from './access.service.js';
import type { CallerRequest } from './caller.decorator.js';
import { permit } from './caller.js';
import { RateLimits } from './rate-limits.service.js';
import { bearerToken } from './token.js';

/** Stands before every route. A route that says neither `Public` nor `Access` is closed. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly access: Access,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, targets)) return true;
    const rules = this.reflector.getAllAndOverride<readonly AccessRule[] | undefined>(ACCESS_RULE, targets);
    const request = context.switchToHttp().getRequest<FastifyRequest & CallerRequest>();
    const caller = await this.limits.refusable(request.ip, () =>
      this.access.authenticate(bearerToken(request.headers.authorization)),
    );
    await this.limits.admit(caller);
    if (!rules) throw new DomainError('forbidden', 'access.closed', 'This route is closed.');
    permit(caller, rules);
    request.caller = caller;
    return true;
  }
}
