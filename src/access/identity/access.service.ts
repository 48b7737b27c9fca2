import { Injectable } from '@nestjs/common';
import { Batcher } from '../../platform/background/batcher.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { isFresh, type Moment, momentOf } from '../../platform/background/fresh-cache.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Scope } from '../../platform/http/access.decorator.js';
import type { Me, Principal } from './access.schema.js';
import type { Caller } from './caller.js';
import { type Credential, CredentialRepository } from './credential.repository.js';
import { PrincipalRepository } from './principal.repository.js';
import { hashToken, mintToken, type TokenKind } from './token.js';

/** What a person's token may do, from the roles held now. */
export function personScopes(person: Pick<Principal, 'roles'>): Scope[] {
  return [
    'read',
    ...(person.roles.includes('reviewer') ? (['decide'] as const) : []),
    ...(person.roles.includes('admin') ? (['administer', 'report-for'] as const) : []),
  ];
}

const LOOKED_UP_AT_ONCE = 100;
/** A token that another process revoked is refused within a second (spec R; decision 43); one revoked here, at once. */
const HELD_MS = 500;
const MOST_HELD = 10_000;

@Injectable()
export class Access {
  /** Agents' own tokens as they were a moment ago, by hash. */
  private readonly recent = new FifoCache<{ readonly from: Moment; readonly credential: Credential }>(MOST_HELD);
  /** Requests that come at the same time share a query, which begins after each of them came. */
  private readonly lookups = new Batcher<string, Credential | undefined>(LOOKED_UP_AT_ONCE, (hashes) =>
    this.credentials.findByHashes(this.database.client, hashes),
  );

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly principals: PrincipalRepository,
    private readonly credentials: CredentialRepository,
  ) {}

  /** Who holds this token. Throws `unauthenticated` when it is absent, unknown, expired, revoked or of another kind. */
  async authenticate(token: string | undefined, kinds: readonly TokenKind[]): Promise<Caller> {
    if (token === undefined)
      throw new DomainError(
        'unauthenticated',
        'access.no_credential',
        'Send "Authorization: Bearer <token>", or sign in at /sign-in.',
      );
    const now = this.clock.now();
    const hash = hashToken(token);
    const { from, credential } = await this.lookUp(hash);
    const { principal } = this.usable(credential, now);
    if (!credential || !kinds.includes(credential.kind))
      throw new DomainError('unauthenticated', 'access.sign_in_only', 'This token only signs in (POST /v1/sign-in).');
    this.hold(hash, from, await this.used(credential, now));
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
      role: principal.role,
      department: principal.department,
      isReviewer: principal.roles.includes('reviewer'),
      isAdmin: principal.roles.includes('admin'),
      remit: principal.remit,
      scopes,
      expiresAt: credential.expiresAt?.toISOString() ?? null,
    };
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

  /** The credential of a token, its person locked: nobody signs in beside an invitation that ends what they held. */
  async held(tx: Tx, token: string): Promise<Credential> {
    const hash = hashToken(token);
    const found = await this.credentials.findByHash(tx, hash);
    if (found) await this.principals.lock(tx, found.principal.id);
    return this.usable(await this.credentials.findByHash(tx, hash), this.clock.now());
  }

  private async lookUp(hash: string): Promise<{ from: Moment; credential: Credential | undefined }> {
    const now = momentOf(this.database, this.clock);
    const held = this.recent.get(hash);
    if (held && isFresh(held.from, now, HELD_MS)) return held;
    return { from: now, credential: await this.lookups.add(hash) };
  }

  /** Agents alone ask so often; what people may do is looked up each time. */
  private hold(hash: string, from: Moment, credential: Credential): void {
    if (credential.kind !== 'token' || credential.principal.kind !== 'agent') return;
    this.recent.set(hash, { from, credential });
  }

  private async used(credential: Credential, now: Date): Promise<Credential> {
    const { lastUsedAt } = credential;
    if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() <= MINUTE_MS) return credential;
    await this.credentials.touch(this.database.client, credential.id, now);
    return { ...credential, lastUsedAt: now };
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
