import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { Database, isUniqueViolation, type Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { Principal, SignedIn, SignInLink } from '../identity/access.schema.js';
import { AuthService, personScopes } from '../identity/auth.service.js';
import type { Caller } from '../identity/caller.js';
import { CredentialRepository } from '../identity/credential.repository.js';
import { PrincipalRepository } from '../identity/principal.repository.js';
import type { TokenKind } from '../identity/token.js';
import type { Account } from './open-id.service.js';

const LINK_MINUTES = 10;
const ACTOR = jobActor('sign-in');

/** The result of a sign-in: a token for the API or a browser session. Both are valid for at most an hour. */
type SignInKind = 'personal' | 'session';
const ACCEPTED_TOKENS: Record<SignInKind, readonly TokenKind[]> = {
  personal: ['one_time', 'sign_in'],
  session: ['one_time', 'sign_in', 'link'],
};

/** Signs people in and out. */
@Injectable()
export class SignIns {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly auth: AuthService,
    private readonly principals: PrincipalRepository,
    private readonly credentials: CredentialRepository,
  ) {}

  /**
   * Exchanges a one-time token (an invitation) or a sign-in token for an API token or a session; a sign-in link gives a
   * session only.
   */
  async signIn(token: string, signInKind: SignInKind): Promise<SignedIn> {
    await this.auth.requireValid(token);
    return this.database.transaction(async (tx) => {
      const { principal, id, kind } = await this.auth.lockCredential(tx, token);
      if (principal.kind !== 'person' || !ACCEPTED_TOKENS[signInKind].includes(kind))
        throw new DomainError('unauthenticated', 'access.not_a_sign_in', 'This token cannot be used to sign in here.');
      const now = this.clock.now();
      await this.credentials.recordUse(tx, id, now);
      if (kind !== 'sign_in') await this.consumeOneTimeToken(tx, id, now);
      // Another token of the first start may have been lost.
      if (kind === 'one_time') await this.credentials.revokeOpenInvitations(tx, principal.id, now);
      const signIn = kind === 'one_time' ? await this.issueSignInToken(tx, principal, now) : {};
      return { ...(await this.issueAccess(tx, principal, signInKind, kind)), ...signIn };
    });
  }

  /**
   * Creates a session for the person whose account this is, or else for the person with its address, which the identity
   * provider has verified. Never registers a person. An account belongs to one person, even if its address changes, and
   * a person has one account.
   */
  async signInByAccount({ id: account, email }: Account): Promise<SignedIn> {
    try {
      return await this.database.transaction(async (tx) => {
        const [found, another] = await this.principals.findByEmail(tx, email);
        if (another)
          throw new DomainError(
            'conflict',
            'access.oidc_ambiguous',
            'Two people are registered with your e-mail address. Ask an administrator.',
          );
        const known = await this.principals.findByAccount(tx, account);
        if (known && found && known.id !== found.id) throw accountMismatch();
        const match = known ?? found;
        const person = match && (await this.principals.lock(tx, match.id));
        if (!person || person.disabledAt)
          throw new DomainError(
            'forbidden',
            'access.oidc_unknown',
            'No person is registered with your e-mail address. Ask an administrator for an invitation.',
          );
        if (!(await this.principals.linkAccount(tx, person.id, account))) throw accountMismatch();
        return this.issueAccess(tx, person, 'session', 'oidc', known === undefined);
      });
    } catch (error) {
      // Two people signed in with one account at the same time.
      throw isUniqueViolation(error) ? accountMismatch() : error;
    }
  }

  /**
   * Creates a link that signs a browser in once within ten minutes. Requires a sign-in token; the link gives a session
   * and nothing else.
   */
  async link(token: string): Promise<SignInLink> {
    await this.auth.requireValid(token);
    return this.database.transaction(async (tx) => {
      const { principal, id, kind } = await this.auth.lockCredential(tx, token);
      if (kind !== 'sign_in')
        throw new DomainError('unauthenticated', 'access.not_a_sign_in', 'Only a sign-in token can create a link.');
      const now = this.clock.now();
      await this.credentials.recordUse(tx, id, now);
      const expiresAt = new Date(now.getTime() + LINK_MINUTES * MINUTE_MS);
      await this.journal.append(tx, ACTOR, {
        action: 'access.link_made',
        subject: { type: 'principal', id: principal.id },
        data: { expiresAt: expiresAt.toISOString() },
      });
      return {
        token: await this.auth.issue(tx, principal.id, 'link', [], now, expiresAt),
        expiresAt: expiresAt.toISOString(),
      };
    });
  }

  /** Revokes the person's sign-ins, personal tokens and sessions: signs them out everywhere at once. */
  async signOut(caller: Caller): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.principals.lock(tx, caller.id);
      const kinds = ['sign_in', 'personal', 'session', 'link'] as const;
      const revoked = await this.credentials.revokeAll(tx, caller.id, this.clock.now(), kinds);
      await this.journal.append(tx, ACTOR, {
        action: 'access.signed_out',
        subject: { type: 'principal', id: caller.id },
        data: { revoked },
      });
    });
  }

  /** Issues the API token or session and journals the kind of sign-in. */
  private async issueAccess(
    tx: Tx,
    principal: Principal,
    signInKind: SignInKind,
    by: string,
    isNewAccount = false,
  ): Promise<SignedIn> {
    const now = this.clock.now();
    const scopes = personScopes(principal);
    const expiresAt = new Date(now.getTime() + this.config.personalTokenMinutes * MINUTE_MS);
    const token = await this.auth.issue(tx, principal.id, signInKind, scopes, now, expiresAt);
    await this.journal.append(tx, ACTOR, {
      action: 'access.signed_in',
      subject: { type: 'principal', id: principal.id },
      data: {
        with: by,
        scopes,
        ...(signInKind === 'session' ? { session: true } : {}),
        ...(isNewAccount ? { newAccount: true } : {}),
      },
    });
    return { principal, token, expiresAt: expiresAt.toISOString(), scopes };
  }

  private async consumeOneTimeToken(tx: Tx, id: string, now: Date): Promise<void> {
    if (!(await this.credentials.consume(tx, id, now)))
      throw new DomainError('unauthenticated', 'access.already_used', 'This one-time token was already used.');
  }

  private async issueSignInToken(tx: Tx, principal: Principal, now: Date) {
    const expiresAt = new Date(now.getTime() + this.config.signInDays * DAY_MS);
    const signInToken = await this.auth.issue(tx, principal.id, 'sign_in', [], now, expiresAt);
    return { signInToken, signInExpiresAt: expiresAt.toISOString() };
  }
}

const accountMismatch = () =>
  new DomainError(
    'forbidden',
    'access.oidc_other_account',
    'This person signed in with another account of the identity provider before. Ask an administrator for a new invitation.',
  );
