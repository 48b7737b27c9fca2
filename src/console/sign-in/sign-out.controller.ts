import { Controller, Post, Res, UseFilters } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { endCookie, SESSION_COOKIE, SIGN_IN_COOKIE } from '../../access/sign-in/cookie.js';
import { SignIns } from '../../access/sign-in/sign-ins.service.js';
import { Access } from '../../platform/http/access.decorator.js';
import { ConsoleProblems } from '../frame/problems.filter.js';

@ApiExcludeController()
@UseFilters(ConsoleProblems)
@Controller('sign-out')
export class SignOutController {
  constructor(private readonly signIns: SignIns) {}

  @Post()
  @Access('read', 'person')
  @RouteConfig({ takesForm: true })
  async signOut(@CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.signIns.signOut(caller);
    const ended = [SESSION_COOKIE, SIGN_IN_COOKIE].map((name) => endCookie(name));
    await reply.header('set-cookie', ended).redirect('/sign-in', 303);
  }
}
