import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { BodyAdmission } from '../../platform/http/web-server.js';
import { AuthService } from '../identity/auth.service.js';
import type { Caller } from '../identity/caller.js';
import { RateLimits } from '../identity/rate-limits.service.js';
import { bearerToken, sessionToken } from '../identity/token.js';
import { readCookie, SESSION_COOKIE } from './cookie.js';

/** Bytes of a body that is read without knowing the caller: as much as a sign-in or a form of a page needs. */
const ANONYMOUS_BODY_BYTES = 65_536;

/** Identifies the callers of requests, and charges them for the bytes that they send. */
@Injectable()
export class RequestCallers implements BodyAdmission {
  /** Bytes of its body that a request was charged for before it was read. */
  private readonly charged = new WeakMap<object, { readonly caller: Caller; readonly bytes: number }>();

  constructor(
    private readonly auth: AuthService,
    private readonly limits: RateLimits,
  ) {}

  /** Browsers send a cookie without being asked, so a request with both credentials is ambiguous and rejected. */
  async identify({ headers, ip }: FastifyRequest): Promise<{ caller: Caller; isBrowser: boolean }> {
    const session = readCookie(headers.cookie, SESSION_COOKIE);
    const caller = await this.limits.limitRejections(ip, async () => {
      if (session === undefined)
        return this.auth.authenticate(bearerToken(headers.authorization), ['personal', 'token']);
      if (headers.authorization !== undefined)
        throw new DomainError(
          'invalid',
          'access.two_credentials',
          'Send the Authorization header or the session cookie, not both.',
        );
      return this.auth.authenticate(sessionToken(session), ['session']);
    });
    return { caller, isBrowser: session !== undefined };
  }

  /** A large body, or one of unknown size, is read only from a caller with a valid credential and within its limit. */
  async beforeReading(request: FastifyRequest): Promise<void> {
    const bytes = declaredBytes(request);
    if (bytes !== undefined && bytes <= ANONYMOUS_BODY_BYTES) return;
    const { caller } = await this.identify(request);
    // At least one byte, so that a caller above its limit is refused whatever it says about the size.
    await this.charge(request, caller, bytes ?? 1);
  }

  /** Charges for the rest of a body whose size was not known before it was read. */
  afterReading(request: FastifyRequest, bytes: number): void {
    const charged = this.charged.get(request);
    if (charged === undefined || bytes <= charged.bytes) return;
    this.limits.chargeBytes(charged.caller, bytes - charged.bytes);
    this.charged.set(request, { ...charged, bytes });
  }

  /** Charges for a body that was not charged for before it was read. */
  async admitBody(request: FastifyRequest, caller: Caller): Promise<void> {
    if (!this.charged.has(request)) await this.charge(request, caller, declaredBytes(request) ?? 0);
  }

  private async charge(request: FastifyRequest, caller: Caller, bytes: number): Promise<void> {
    await this.limits.admitBytes(caller, bytes);
    this.charged.set(request, { caller, bytes });
  }
}

/** The size of the body; undefined if it is only known after it was read. A request without a body has none. */
function declaredBytes({ headers }: FastifyRequest): number | undefined {
  if (headers['transfer-encoding'] !== undefined || headers['content-encoding'] === 'gzip') return undefined;
  return Number(headers['content-length'] ?? 0);
}
