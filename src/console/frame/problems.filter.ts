import { type ArgumentsHost, Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/identity/caller.js';
import { readCookie, SESSION_COOKIE, SIGN_IN_COOKIE } from '../../access/sign-in/cookie.js';
import { OpenId } from '../../access/sign-in/open-id.service.js';
import { safeReturnPath } from '../../access/sign-in/return-path.js';
import { isRefusal, RecordRefusal } from '../../approvals/decisions/record-refusal.js';
import { subjectOf } from '../../approvals/decisions/refused-decision.filter.js';
import { type ErrorResponse, ProblemFilter } from '../../platform/http/problem.filter.js';
import { say } from '../texts/texts.js';
import { type Page, sendPage } from './pages.view.js';

/** The pages of decisions. The settings have routes with ids too, which are no decisions. */
const DECIDING = /^\/(?:review|skills)\//;

const TITLES: Readonly<Record<number, string>> = {
  400: 'problem.invalid',
  403: 'problem.forbidden',
  404: 'problem.not-found',
  409: 'problem.conflict',
  412: 'problem.conflict',
  413: 'problem.invalid',
  415: 'problem.invalid',
  429: 'problem.busy',
  503: 'problem.unavailable',
};

/** Answers errors with a page and the status of the API. Refused decisions are journalled as in the API. */
@Catch()
export class ConsoleProblemFilter extends ProblemFilter {
  constructor(
    private readonly recordRefusal: RecordRefusal,
    private readonly openId: OpenId,
  ) {
    super();
  }

  override async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const subject = DECIDING.test(request.url) ? subjectOf(request) : undefined;
    const { caller } = request;
    if (isRefusal(error) && caller && subject) await this.recordRefusal.record(subject, caller, error.code);
    const answer = this.toResponse(error);
    if (answer.status === 401) return this.signedOut(request, reply);
    if (answer.retryAfterSeconds !== undefined) void reply.header('retry-after', String(answer.retryAfterSeconds));
    await sendPage(
      reply,
      problemPage(answer, caller, subject?.type === 'proposal' ? subject.id : undefined, backFrom(request)),
    );
  }

  /** A link from another site comes without the SameSite=Strict cookie, so the page reloads itself once. */
  private async signedOut(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
    void reply.header('www-authenticate', 'Bearer realm="guildbook"');
    const to = addressOf(request);
    const isFromElsewhere = site === 'cross-site' && mode === 'navigate' && request.method === 'GET';
    if (isFromElsewhere && readCookie(cookie, SESSION_COOKIE) === undefined)
      return sendPage(reply, {
        template: 'on-the-way',
        title: say('on-the-way.title'),
        view: { to },
        status: 401,
        refresh: 0,
      });
    const again = readCookie(cookie, SIGN_IN_COOKIE) !== undefined;
    await sendPage(reply, {
      template: 'signed-out',
      title: say('signed-out.title'),
      status: 401,
      view: { to, again, openId: this.openId.isOn, command: 'guildbook login --browser' },
    });
  }
}

/** The page to return to after the sign-in: for a form of a review, the page of that proposal. */
function addressOf({ method, url }: FastifyRequest): string {
  const page = method === 'GET' || method === 'HEAD' ? url : (url.match(/^\/review\/[0-9a-f-]{36}/)?.[0] ?? '/');
  return safeReturnPath(page) ?? '/';
}

/** The page of the settings that the form was sent from; else the dashboard. */
function backFrom({ method, url }: FastifyRequest): string {
  return (method === 'POST' && url.match(/^\/(?:start|settings(?:\/(?:agents|services|webhooks|audit))?)/)?.[0]) || '/';
}

function problemPage(
  { status, code, detail, errors }: ErrorResponse,
  caller: Caller | undefined,
  proposal: string | undefined,
  back: string,
): Page {
  const isInternal = status >= 500 && status !== 503;
  const roles = [
    ...(caller?.isReviewer ? [say('role.reviewer')] : []),
    ...(caller?.isAdmin ? [say('role.admin')] : []),
  ];
  return {
    template: 'problem',
    title: say(TITLES[status] ?? (isInternal ? 'problem.internal' : 'problem.invalid')),
    status,
    view: {
      title: say(TITLES[status] ?? (isInternal ? 'problem.internal' : 'problem.invalid')),
      says: isInternal ? say('problem.internal-says') : detail,
      rights:
        status === 403 && caller
          ? say('problem.rights', { name: caller.name, roles: roles.join(', ') || say('role.none') })
          : null,
      code,
      // A single field is already named in `says`.
      fields: (errors ?? []).length > 1 ? errors : [],
      proposal: proposal ?? null,
      back,
    },
  };
}
