import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerTurns } from '../../platform/background/caller-turns.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { PUBLIC_ROUTE, type PublicLimit } from '../../platform/http/public.decorator.js';
import {
  ACCESS_RULE,
  type AccessRule,
  TAKES_TURN,
  type TurnRule,
} from '../../platform/http/require-scope.decorator.js';
import { CONFIG } from '../../platform/platform.module.js';
import { requireAccess } from '../identity/caller.js';
import { RateLimits } from '../identity/rate-limits.service.js';
import { CrossOriginProtection } from './cross-origin-protection.service.js';
import { RequestCallers } from './request-callers.service.js';

/** Guards every route. A route without `Public` or `RequireScope` is closed. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly turns: CallerTurns;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly reflector: Reflector,
    private readonly callers: RequestCallers,
    private readonly limits: RateLimits,
    private readonly browsers: CrossOriginProtection,
  ) {
    this.turns = new CallerTurns(config.readsAtOnce, config.readsWaiting);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const limit = this.reflector.getAllAndOverride<PublicLimit | undefined>(PUBLIC_ROUTE, targets);
    const rules = this.reflector.getAllAndOverride<readonly AccessRule[] | undefined>(ACCESS_RULE, targets);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (limit === 'anonymous') await this.limits.admitAnonymous(request.ip);
    if (limit !== undefined) return true;
    const { caller, isBrowser } = await this.callers.identify(request);
    await this.limits.admit(caller);
    await this.callers.admitBody(request, caller);
    if (isBrowser) await this.browsers.rejectCrossOrigin(request, caller);
    if (!rules) throw new DomainError('forbidden', 'access.closed', 'This route has no access rule and is closed.');
    // Set before the scope check, so that a rejected request can be attributed to its caller.
    request.caller = caller;
    requireAccess(caller, rules);
    const turn = this.reflector.getAllAndOverride<TurnRule | undefined>(TAKES_TURN, targets);
    const isRead = ['GET', 'HEAD'].includes(request.method);
    if (typeof turn === 'function' ? turn(request.body) : (turn ?? isRead))
      await this.takeTurn(caller.id, context.switchToHttp().getResponse<FastifyReply>());
    return true;
  }

  /** The turn ends with the answer, or when the client goes away, also while it waits. */
  private async takeTurn(key: string, { raw }: FastifyReply): Promise<void> {
    const { socket } = raw.req;
    // A pipelined request gets the connection when those before it are answered, so it must not hold a turn that they
    // wait for. Until then nothing but the connection says that the client went away.
    const { ready, leave } = this.turns.enter(key, (join) => (raw.socket ? join() : raw.once('socket', join)));
    // As many listeners as requests, whose number the turns limit.
    socket.setMaxListeners(0).once('close', leave);
    raw.once('close', () => {
      socket.off('close', leave);
      leave();
    });
    if (socket.destroyed) leave();
    await ready;
  }
}
