import { type ArgumentsHost, Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/identity/caller.js';
import { readCookie, SESSION_COOKIE, SIGN_IN_COOKIE } from '../../access/sign-in/cookie.js';
import { OpenId } from '../../access/sign-in/open-id.service.js';
import { safeReturnPath } from '../../access/sign-in/return-path.js';
import { isRefusal, RecordRefusal } from '../../approvals/decisions/record-refusal.js';
import { subjectOf } from '../../approvals/decisions/refused-decision.filter.js';
import { type ErrorResponse, ProblemFilter } from '../../platform/http/problem.filter.js';
import { type Page, sendPage } from './pages.view.js';

/** The pages of decisions. The settings have routes with ids too, which are no decisions. */
const DECIDING = /^\/(?:review|skills)\//;

const CHANGED = 'This changed in the meantime';
const TITLES: Readonly<Record<number, string>> = {
  403: 'You are not allowed to do this',
  404: 'Not found',
  409: CHANGED,
  412: CHANGED,
  429: 'Too many requests',
  503: 'Temporarily unavailable',
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
        title: 'Opening the page',
        view: { to },
        status: 401,
        refresh: 0,
      });
    const again = readCookie(cookie, SIGN_IN_COOKIE) !== undefined;
    const openId = this.openId.isOn;
    await sendPage(reply, {
      template: 'signed-out',
      title: 'You are signed out',
      status: 401,
      view: { to, again, openId, isAlone: !again && !openId, command: 'guildbook login --browser' },
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
  const roles = [...(caller?.isReviewer ? ['reviewer'] : []), ...(caller?.isAdmin ? ['administrator'] : [])];
  const title = TITLES[status] ?? (isInternal ? 'Server error' : 'Invalid input');
  return {
    template: 'problem',
    title,
    status,
    view: {
      title,
      says: isInternal ? 'Nothing was decided. See the server log for the cause.' : detail,
      rights:
        status === 403 && caller
          ? `You are signed in as ${caller.name} (${roles.join(', ') || 'reader'}). An administrator can change your roles.`
          : null,
      code,
      // A single field is already named in `says`.
      fields: (errors ?? []).length > 1 ? errors : [],
      proposal: proposal ?? null,
      back,
    },
  };
}
