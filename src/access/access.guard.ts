import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS_RULE, type AccessRule } from '../platform/access.decorator.js';
import { DomainError } from '../platform/domain.errors.js';
import { PUBLIC_ROUTE } from '../platform/public.decorator.js';
import { Access } from './access.service.js';
import type { CallerRequest } from './caller.decorator.js';
import { permit } from './caller.js';
import { bearerToken } from './token.js';

/** Stands before every route. A route that says neither `Public` nor `Access` is closed. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly access: Access,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, targets)) return true;
    const rules = this.reflector.getAllAndOverride<readonly AccessRule[] | undefined>(ACCESS_RULE, targets);
    const request = context.switchToHttp().getRequest<CallerRequest & { headers: { authorization?: string } }>();
    const caller = await this.access.authenticate(bearerToken(request.headers.authorization));
    if (!rules) throw new DomainError('forbidden', 'access.closed', 'This route is closed.');
    // Before it is permitted: what is refused can be put down to somebody.
    request.caller = caller;
    permit(caller, rules);
    return true;
  }
}
