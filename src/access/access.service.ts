import { Inject, Injectable } from '@nestjs/common';
import { Journal } from '../journal/journal.service.js';
import type { Scope } from '../platform/access.decorator.js';
import { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config.js';
import { Database, type Tx } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { Ids } from '../platform/ids.js';
import { CONFIG } from '../platform/platform.module.js';
import type { Me, Principal, SignedIn } from './access.schema.js';
import type { Caller } from './caller.js';
import { type Credential, CredentialRepository } from './credential.repository.js';
import { PrincipalRepository } from './principal.repository.js';
import { hashToken, mintToken } from './token.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** What a person's token may do, from the roles held now. */
export function personScopes(person: Pick<Principal, 'roles'>): Scope[] {
  return [
    'read',
    ...(person.roles.includes('reviewer') ? (['decide'] as const) : []),
    ...(person.roles.includes('admin') ? (['administer', 'report-for'] as const) : []),
  ];
}

@Injectable()
export class Access {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly principals: PrincipalRepository,
    private readonly credentials: CredentialRepository,
  ) {}

  /** Who holds this token. Throws `unauthenticated` when it is absent, unknown, expired or revoked. */
  async authenticate(token: string | undefined): Promise<Caller> {
    if (token === undefined)
      throw new DomainError('unauthenticated', 'access.no_credential', 'Send "Authorization: Bearer <token>".');
    const now = this.clock.now();
    const credential = await this.credentials.findByHash(this.database.client, hashToken(token));
    const { principal } = this.usable(credential, now);
    if (credential?.kind !== 'personal' && credential?.kind !== 'token')
      throw new DomainError('unauthenticated', 'access.sign_in_only', 'This token only signs in (POST /v1/sign-in).');
    if (credential.lastUsedAt === null || now.getTime() - credential.lastUsedAt.getTime() > MINUTE)
      await this.credentials.touch(this.database.client, credential.id, now);
    const scopes =
      principal.kind === 'person'
        ? personScopes(principal).filter((scope) => credential.scopes.includes(scope))
        : credential.scopes.filter((scope) => scope !== 'decide' && scope !== 'administer');
    return {
      id: principal.id,
      kind: principal.kind,
      name: principal.name,
      email: principal.email,
      owner: principal.owner,
      isReviewer: principal.roles.includes('reviewer'),
      isAdmin: principal.roles.includes('admin'),
      scopes,
      expiresAt: credential.expiresAt?.toISOString() ?? null,
    };
  }

  /** Turns a one-time token (an invitation) or a sign-in token into a personal token of at most an hour. */
  async signIn(token: string): Promise<SignedIn> {
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const { principal, id, kind } = await this.held(tx, hashToken(token), now);
      if (principal.kind !== 'person' || (kind !== 'one-time' && kind !== 'sign-in'))
        throw new DomainError('unauthenticated', 'access.not_a_sign_in', 'This token does not sign anybody in.');
      const signIn = kind === 'one-time' ? await this.exchange(tx, id, principal, now) : {};
      await this.credentials.touch(tx, id, now);
      const scopes = personScopes(principal);
      const expiresAt = new Date(now.getTime() + this.config.personalTokenMinutes * MINUTE);
      const personal = await this.issue(tx, principal.id, 'personal', scopes, now, expiresAt);
      await this.journal.append(
        tx,
        { kind: 'job', id: 'job:sign-in', name: 'sign-in' },
        { action: 'access.signed_in', subject: { type: 'principal', id: principal.id }, data: { with: kind, scopes } },
      );
      return { principal, token: personal, expiresAt: expiresAt.toISOString(), scopes, ...signIn };
    });
  }

  /** Revokes the person's sign-in and personal tokens: signed out everywhere, at once. */
  async signOut(caller: Caller): Promise<void> {
    await this.database.transaction(async (tx) => {
      const revoked = await this.credentials.revokeAll(tx, caller.id, this.clock.now(), ['sign-in', 'personal']);
      await this.journal.append(
        tx,
        { kind: 'job', id: 'job:sign-in', name: 'sign-in' },
        { action: 'access.signed_out', subject: { type: 'principal', id: caller.id }, data: { revoked } },
      );
    });
  }

  async me(caller: Caller): Promise<Me> {
    const principal = await this.principals.find(this.database.client, caller.id);
    if (!principal) throw new DomainError('not_found', 'access.unknown_principal', 'You are gone.');
    return { principal, scopes: [...caller.scopes], expiresAt: caller.expiresAt };
  }

  /** Stores a new credential's hash in the caller's transaction and returns the token, which nobody can read again. */
  async issue(
    tx: Tx,
    principalId: string,
    kind: Credential['kind'],
    scopes: readonly Scope[],
    createdAt: Date,
    expiresAt: Date | null,
  ): Promise<string> {
    const minted = mintToken(kind, this.ids.secret(32));
    await this.credentials.create(tx, { id: this.ids.uuid(), principalId, kind, minted, scopes, createdAt, expiresAt });
    return minted.token;
  }

  private async exchange(tx: Tx, id: string, principal: Principal, now: Date) {
    if (!(await this.credentials.use(tx, id, now)))
      throw new DomainError('unauthenticated', 'access.already_used', 'This one-time token was used before.');
    const expiresAt = new Date(now.getTime() + this.config.signInDays * DAY);
    const signInToken = await this.issue(tx, principal.id, 'sign-in', [], now, expiresAt);
    return { signInToken, signInExpiresAt: expiresAt.toISOString() };
  }

  /** The credential, its person locked: nobody signs in beside an invitation that ends what they held. */
  private async held(tx: Tx, hash: string, now: Date): Promise<Credential> {
    const found = await this.credentials.findByHash(tx, hash);
    if (found) await this.principals.lock(tx, found.principal.id);
    return this.usable(await this.credentials.findByHash(tx, hash), now);
  }

  private usable(credential: Credential | undefined, now: Date): Credential {
    if (!credential) throw new DomainError('unauthenticated', 'access.unknown', 'This token is not known.');
    if (credential.revokedAt || credential.principal.disabledAt)
      throw new DomainError('unauthenticated', 'access.revoked', 'This token was revoked.');
    if (credential.usedAt)
      throw new DomainError('unauthenticated', 'access.already_used', 'This one-time token was used before.');
    if (credential.expiresAt && credential.expiresAt <= now) {
      const next = credential.kind === 'token' ? 'an administrator can rotate it' : 'sign in again';
      throw new DomainError('unauthenticated', 'access.expired', `This token has expired; ${next}.`);
    }
    return credential;
  }
}
