import { Body, Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type SignedIn, SignInForm, SignInQuery } from '../../access/identity/access.schema.js';
import { RateLimits } from '../../access/identity/rate-limits.service.js';
import { linkToken } from '../../access/identity/token.js';
import {
  clearCookie,
  FLOW_COOKIE,
  RETURN_COOKIE,
  readCookie,
  SESSION_COOKIE,
  SIGN_IN_COOKIE,
  setCookie,
} from '../../access/sign-in/cookie.js';
import { CrossOriginProtection } from '../../access/sign-in/cross-origin-protection.service.js';
import { OpenId } from '../../access/sign-in/open-id.service.js';
import { safeReturnPath } from '../../access/sign-in/return-path.js';
import { SignIns } from '../../access/sign-in/sign-ins.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Public } from '../../platform/http/public.decorator.js';
import { PostForm } from '../frame/console-routes.decorator.js';
import { sendPage } from '../frame/pages.view.js';
import { signedInPage, signInPage } from './sign-in-page.js';
import { SignInProblemFilter } from './sign-in-problems.filter.js';

const FLOW_SECONDS = 600;

/** The sign-in of browsers. Not part of the API: these routes use HTML and cookies. */
@ApiExcludeController()
@UseFilters(SignInProblemFilter)
@Controller('sign-in')
export class SignInController {
  constructor(
    private readonly signIns: SignIns,
    private readonly browsers: CrossOriginProtection,
    private readonly limits: RateLimits,
    private readonly openId: OpenId,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Public('anonymous')
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query({ schema: SignInQuery }) query: SignInQuery) {
    const token = linkToken(query.token);
    const again = readCookie(request.headers.cookie, SIGN_IN_COOKIE) !== undefined;
    const to = safeReturnPath(query.to) ?? '/';
    const page = signInPage({ ...(token === undefined ? {} : { token }), again, openId: this.openId.isOn, to });
    return sendPage(reply, page);
  }

  @PostForm()
  @Public('refusals')
  async signIn(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body({ schema: SignInForm }) form: SignInForm,
  ): Promise<void> {
    await this.browsers.rejectCrossOrigin(request);
    const token = form.token ?? readCookie(request.headers.cookie, SIGN_IN_COOKIE) ?? '';
    const signedIn = await this.limits.limitRejections(request.ip, () => this.signIns.signIn(token, 'session'));
    void reply.header('set-cookie', this.cookiesOf(signedIn));
    const to = safeReturnPath(form.to);
    if (to !== undefined) await reply.redirect(to, 303);
    else await sendPage(reply, signedInPage(signedIn.principal.name, signedIn.expiresAt));
  }

  @Get('oidc')
  @Public('anonymous')
  async beginOpenId(@Res() reply: FastifyReply, @Query({ schema: SignInQuery }) query: SignInQuery): Promise<void> {
    const { url, flow } = await this.openId.begin();
    const to = encodeURIComponent(safeReturnPath(query.to) ?? '/');
    const cookies = [
      setCookie(FLOW_COOKIE, flow, FLOW_SECONDS, 'Lax'),
      setCookie(RETURN_COOKIE, to, FLOW_SECONDS, 'Lax'),
    ];
    await reply.header('set-cookie', cookies).redirect(url, 303);
  }

  @Get('oidc/callback')
  @Public('anonymous')
  async finishOpenId(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ended = [clearCookie(FLOW_COOKIE, 'Lax'), clearCookie(RETURN_COOKIE, 'Lax')];
    void reply.header('set-cookie', ended);
    const flow = readCookie(request.headers.cookie, FLOW_COOKIE);
    const account = await this.limits.limitRejections(request.ip, () => this.openId.finish(request.url, flow));
    const signedIn = await this.signIns.signInByAccount(account);
    const to = safeReturnPath(decoded(readCookie(request.headers.cookie, RETURN_COOKIE))) ?? '/';
    void reply.header('set-cookie', this.cookiesOf(signedIn));
    await sendPage(reply, signedInPage(signedIn.principal.name, signedIn.expiresAt, to));
  }

  private cookiesOf({ token, expiresAt, signInToken, signInExpiresAt }: SignedIn): string[] {
    const secondsTo = (time: string) => (Date.parse(time) - this.clock.now().getTime()) / 1_000;
    const session = setCookie(SESSION_COOKIE, token, secondsTo(expiresAt));
    if (signInToken === undefined || signInExpiresAt === undefined) return [session];
    return [session, setCookie(SIGN_IN_COOKIE, signInToken, secondsTo(signInExpiresAt))];
  }
}

/** Decodes a cookie; undefined if it is malformed. */
function decoded(value: string | undefined): string | undefined {
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
