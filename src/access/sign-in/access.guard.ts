import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../platform/base/domain.errors.js';
import { PUBLIC_ROUTE } from '../../platform/http/public.decorator.js';
import { ACCESS_RULE, type AccessRule } from '../../platform/http/require-scope.decorator.js';
import { AuthService } from '../identity/auth.service.js';
import type { CallerRequest } from '../identity/caller.decorator.js';
import { type Caller, requireAccess } from '../identity/caller.js';
import { RateLimits } from '../identity/rate-limits.service.js';
import { bearerToken, sessionToken } from '../identity/token.js';
import { readCookie, SESSION_COOKIE } from './cookie.js';
import { CrossOriginProtection } from './cross-origin-protection.service.js';

/** Guards every route. A route without `Public` or `RequireScope` is closed. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly auth: AuthService,
    private readonly limits: RateLimits,
    private readonly browsers: CrossOriginProtection,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, targets)) return true;
    const rules = this.reflector.getAllAndOverride<readonly AccessRule[] | undefined>(ACCESS_RULE, targets);
    const request = context.switchToHttp().getRequest<FastifyRequest & CallerRequest>();
    const session = readCookie(request.headers.cookie, SESSION_COOKIE);
    const caller = await this.limits.limitRejections(request.ip, () => this.identify(request, session));
    await this.limits.admit(caller);
    if (session !== undefined) await this.browsers.rejectCrossOrigin(request, caller);
    if (!rules) throw new DomainError('forbidden', 'access.closed', 'This route has no access rule and is closed.');
    // Set before the scope check, so that a rejected request can be attributed to its caller.
    request.caller = caller;
    requireAccess(caller, rules);
    return true;
  }

  /** Browsers send a cookie without being asked, so a request with both credentials is ambiguous and rejected. */
  private async identify({ headers }: FastifyRequest, session: string | undefined): Promise<Caller> {
    if (session === undefined) return this.auth.authenticate(bearerToken(headers.authorization), ['personal', 'token']);
    if (headers.authorization !== undefined)
      throw new DomainError(
        'invalid',
        'access.two_credentials',
        'Send the Authorization header or the session cookie, not both.',
      );
    return this.auth.authenticate(sessionToken(session), ['session']);
  }
}
