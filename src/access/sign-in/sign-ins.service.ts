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

/** What a sign-in gives: a token for the API, or a browser's session. Both live an hour at most. */
type SignInKind = 'personal' | 'session';
const ACCEPTED_TOKENS: Record<SignInKind, readonly TokenKind[]> = {
  personal: ['one_time', 'sign_in'],
  session: ['one_time', 'sign_in', 'link'],
};

/** People come in, and go out. */
@Injectable()
export class SignIns {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly access: AuthService,
    private readonly principals: PrincipalRepository,
    private readonly credentials: CredentialRepository,
  ) {}

  /** Turns a one-time token (an invitation) or a sign-in token into a pass; a session can also be had by a link. */
  async signIn(token: string, pass: SignInKind): Promise<SignedIn> {
    return this.database.transaction(async (tx) => {
      const { principal, id, kind } = await this.access.lockCredential(tx, token);
      if (principal.kind !== 'person' || !ACCEPTED_TOKENS[pass].includes(kind))
        throw new DomainError('unauthenticated', 'access.not_a_sign_in', 'This token does not sign anybody in here.');
      const now = this.clock.now();
      await this.credentials.recordUse(tx, id, now);
      if (kind !== 'sign_in') await this.consumeOneTimeToken(tx, id, now);
      const signIn = kind === 'one_time' ? await this.issueSignInToken(tx, principal, now) : {};
      return { ...(await this.issueAccess(tx, principal, pass, kind)), ...signIn };
    });
  }

  /**
   * A session for the one person whose account this is, or else who has its address, which the identity provider has
   * verified. Registers nobody. An account is one person, whatever address it has later, and a person is one account.
   */
  async signInByAccount({ id: account, email }: Account): Promise<SignedIn> {
    try {
      return await this.database.transaction(async (tx) => {
        const [found, another] = await this.principals.findByEmail(tx, email);
        if (another)
          throw new DomainError('conflict', 'access.oidc_ambiguous', 'Two people have your e-mail address here.');
        const known = await this.principals.findByAccount(tx, account);
        if (known && found && known.id !== found.id) throw accountMismatch();
        const someone = known ?? found;
        const person = someone && (await this.principals.lock(tx, someone.id));
        if (!person || person.disabledAt)
          throw new DomainError(
            'forbidden',
            'access.oidc_unknown',
            'Nobody with your e-mail address is registered here.',
          );
        if (!(await this.principals.linkAccount(tx, person.id, account))) throw accountMismatch();
        return this.issueAccess(tx, person, 'session', 'oidc', known === undefined);
      });
    } catch (error) {
      // Two people at once, with one account.
      throw isUniqueViolation(error) ? accountMismatch() : error;
    }
  }

  /** A link that signs a browser in, once and soon, for whoever can sign in again: it gives a session and no more. */
  async link(token: string): Promise<SignInLink> {
    return this.database.transaction(async (tx) => {
      const { principal, id, kind } = await this.access.lockCredential(tx, token);
      if (kind !== 'sign_in')
        throw new DomainError('unauthenticated', 'access.not_a_sign_in', 'Only a sign-in token makes a link.');
      const now = this.clock.now();
      await this.credentials.recordUse(tx, id, now);
      const expiresAt = new Date(now.getTime() + LINK_MINUTES * MINUTE_MS);
      await this.journal.append(tx, ACTOR, {
        action: 'access.link_made',
        subject: { type: 'principal', id: principal.id },
        data: { expiresAt: expiresAt.toISOString() },
      });
      return {
        token: await this.access.issue(tx, principal.id, 'link', [], now, expiresAt),
        expiresAt: expiresAt.toISOString(),
      };
    });
  }

  /** Revokes the person's sign-ins, personal tokens and sessions: signed out everywhere, at once. */
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

  /** Issues the pass and journals by what it was had. */
  private async issueAccess(
    tx: Tx,
    principal: Principal,
    pass: SignInKind,
    by: string,
    isNewAccount = false,
  ): Promise<SignedIn> {
    const now = this.clock.now();
    const scopes = personScopes(principal);
    const expiresAt = new Date(now.getTime() + this.config.personalTokenMinutes * MINUTE_MS);
    const token = await this.access.issue(tx, principal.id, pass, scopes, now, expiresAt);
    await this.journal.append(tx, ACTOR, {
      action: 'access.signed_in',
      subject: { type: 'principal', id: principal.id },
      data: {
        with: by,
        scopes,
        ...(pass === 'session' ? { session: true } : {}),
        ...(isNewAccount ? { newAccount: true } : {}),
      },
    });
    return { principal, token, expiresAt: expiresAt.toISOString(), scopes };
  }

  private async consumeOneTimeToken(tx: Tx, id: string, now: Date): Promise<void> {
    if (!(await this.credentials.consume(tx, id, now)))
      throw new DomainError('unauthenticated', 'access.already_used', 'This one-time token was used before.');
  }

  private async issueSignInToken(tx: Tx, principal: Principal, now: Date) {
    const expiresAt = new Date(now.getTime() + this.config.signInDays * DAY_MS);
    const signInToken = await this.access.issue(tx, principal.id, 'sign_in', [], now, expiresAt);
    return { signInToken, signInExpiresAt: expiresAt.toISOString() };
  }
}

const accountMismatch = () =>
  new DomainError(
    'forbidden',
    'access.oidc_other_account',
    'Your account at the identity provider is not the one that this person signed in with before. An administrator can invite you anew.',
  );
