import { Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { clearCookie, SESSION_COOKIE, SIGN_IN_COOKIE } from '../../access/sign-in/cookie.js';
import { SignIns } from '../../access/sign-in/sign-ins.service.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';

@ConsoleController('sign-out')
export class SignOutController {
  constructor(private readonly signIns: SignIns) {}

  @PostForm()
  @RequireScope('read', 'person')
  async signOut(@CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.signIns.signOut(caller);
    const ended = [SESSION_COOKIE, SIGN_IN_COOKIE].map((name) => clearCookie(name));
    await reply.header('set-cookie', ended).redirect('/sign-in', 303);
  }
}
