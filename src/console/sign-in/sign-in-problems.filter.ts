import { type ArgumentsHost, Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, SIGN_IN_COOKIE } from '../../access/sign-in/cookie.js';
import { OpenId } from '../../access/sign-in/open-id.service.js';
import { ProblemFilter } from '../../platform/http/problem.filter.js';
import { sendPage } from '../frame/pages.view.js';
import { signInPage } from './sign-in-page.js';

/**
 * Shows why a sign-in failed, with the remaining ways to sign in. A client that does not accept HTML receives a
 * problem.
 */
@Catch()
export class SignInProblemFilter extends ProblemFilter {
  constructor(private readonly openId: OpenId) {
    super();
  }

  override async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const { headers } = host.switchToHttp().getRequest<FastifyRequest>();
    if (!headers.accept?.includes('text/html')) return super.catch(error, host);
    const { status, code, detail, retryAfterSeconds } = this.toResponse(error);
    const again = readCookie(headers.cookie, SIGN_IN_COOKIE) !== undefined;
    const problem = {
      status,
      code,
      says:
        status >= 500 && status !== 503 ? 'Signing in failed because of a server error. See the server log.' : detail,
    };
    const page = signInPage({ again, openId: this.openId.isOn, to: '/', problem });
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
    await sendPage(reply, page);
  }
}
