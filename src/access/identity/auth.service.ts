import { Injectable } from '@nestjs/common';
import { Batcher } from '../../platform/background/batcher.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { type FreshnessStamp, isFresh } from '../../platform/background/fresh-cache.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { isOutage } from '../../platform/database/outage.js';
import type { Scope } from '../../platform/http/require-scope.decorator.js';
import type { Me, Principal } from './access.schema.js';
import type { Caller } from './caller.js';
import { type Credential, CredentialRepository } from './credential.repository.js';
import { PrincipalRepository } from './principal.repository.js';
import { hashToken, mintToken, type TokenKind } from './token.js';

/** Returns the scopes of a person's token, from the roles the person has now. */
export function personScopes(person: Pick<Principal, 'roles'>): Scope[] {
  return [
    'read',
    ...(person.roles.includes('reviewer') ? (['decide'] as const) : []),
    ...(person.roles.includes('admin') ? (['administer', 'report-for'] as const) : []),
  ];
}

const LOOKUP_BATCH_SIZE = 100;
/** A token revoked by another process is rejected within a second; one revoked by this process, at once. */
const TOKEN_CACHE_MS = 500;
const TOKEN_CACHE_SIZE = 10_000;

@Injectable()
export class AuthService {
  /** Agents' own tokens as recently read, by hash. */
  private readonly tokenCache = new FifoCache<{ readonly from: FreshnessStamp; readonly credential: Credential }>(
    TOKEN_CACHE_SIZE,
  );
  /** Simultaneous requests share a query, which begins after each of them arrived. */
  private readonly lookups = new Batcher<string, Credential | undefined>(LOOKUP_BATCH_SIZE, (hashes) =>
    this.credentials.findByHashes(this.database.client, hashes),
  );

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly principals: PrincipalRepository,
    private readonly credentials: CredentialRepository,
  ) {}

  /**
   * Returns the holder of the token. Throws `unauthenticated` if it is absent, unknown, expired, revoked or of another
   * kind.
   */
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
    const { principal } = this.requireUsable(credential, now);
    if (!credential || !kinds.includes(credential.kind))
      throw new DomainError(
        'unauthenticated',
        'access.sign_in_only',
        'This token can only be used to sign in (POST /v1/sign-in).',
      );
    this.cacheAgentToken(hash, from, await this.recordUse(credential, now));
    const scopes =
      principal.kind === 'person'
        ? personScopes(principal).filter((scope) => credential.scopes.includes(scope))
        : credential.scopes.filter((scope) => scope !== 'decide' && scope !== 'administer');
    return {
      id: principal.id,
      credentialId: credential.id,
      kind: principal.kind,
      name: principal.name,
      email: principal.email,
      owner: principal.owner,
      role: principal.role,
      department: principal.department,
      isReviewer: principal.roles.includes('reviewer'),
      isAdmin: principal.roles.includes('admin'),
      reviewScope: principal.reviewScope,
      scopes,
      expiresAt: credential.expiresAt?.toISOString() ?? null,
    };
  }

  async me(caller: Caller): Promise<Me> {
    const principal = await this.principals.find(this.database.client, caller.id);
    if (!principal)
      throw new DomainError('not_found', 'access.unknown_principal', 'The holder of this credential no longer exists.');
    return { principal, scopes: [...caller.scopes], expiresAt: caller.expiresAt };
  }

  /** Stores a new credential's hash in the caller's transaction and returns the token, which cannot be read again. */
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

  /**
   * Throws `unauthenticated` if a token is not valid. Guessed tokens share a query and need no transaction, whose end
   * would make cached values stale.
   */
  async requireValid(token: string): Promise<void> {
    this.requireUsable(await this.lookups.submit(hashToken(token)), this.clock.now());
  }

  /**
   * Returns the credential of a token and locks its person, so that no sign-in runs beside an invitation that revokes
   * the person's credentials.
   */
  async lockCredential(tx: Tx, token: string): Promise<Credential> {
    const hash = hashToken(token);
    const found = await this.credentials.findByHash(tx, hash);
    if (found) await this.principals.lock(tx, found.principal.id);
    return this.requireUsable(await this.credentials.findByHash(tx, hash), this.clock.now());
  }

  private async lookUp(hash: string): Promise<{ from: FreshnessStamp; credential: Credential | undefined }> {
    // Principals and credentials change through models only, so an agent's own events do not make its token stale.
    const now = { at: this.clock.now().getTime(), endedTransactions: this.database.endedModelTransactions };
    const cached = this.tokenCache.get(hash);
    if (cached && isFresh(cached.from, now, TOKEN_CACHE_MS)) return cached;
    return { from: now, credential: await this.lookups.submit(hash) };
  }

  /** Only agents send enough requests to need a cache. A person's rights are read on every request. */
  private cacheAgentToken(hash: string, from: FreshnessStamp, credential: Credential): void {
    if (credential.kind !== 'token' || credential.principal.kind !== 'agent') return;
    this.tokenCache.set(hash, { from, credential });
  }

  private async recordUse(credential: Credential, now: Date): Promise<Credential> {
    const { lastUsedAt } = credential;
    if (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() <= MINUTE_MS) return credential;
    try {
      await this.credentials.recordUse(this.database.client, credential.id, now);
    } catch (error) {
      // A database that stores nothing, on a full disk or after a failover, still answers reads.
      if (!isOutage(error)) throw error;
      return credential;
    }
    return { ...credential, lastUsedAt: now };
  }

  private requireUsable(credential: Credential | undefined, now: Date): Credential {
    if (!credential) throw new DomainError('unauthenticated', 'access.unknown', 'This token is unknown.');
    if (credential.revokedAt || credential.principal.disabledAt)
      throw new DomainError('unauthenticated', 'access.revoked', 'This token was revoked.');
    if (credential.usedAt)
      throw new DomainError('unauthenticated', 'access.already_used', 'This one-time token was already used.');
    if (credential.expiresAt && credential.expiresAt <= now) {
      const next = credential.kind === 'token' ? 'ask an administrator to rotate it' : 'sign in again';
      throw new DomainError('unauthenticated', 'access.expired', `This token has expired; ${next}.`);
    }
    return credential;
  }
}
