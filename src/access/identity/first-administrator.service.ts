import { Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Principal } from './access.schema.js';
import { CredentialRepository } from './credential.repository.js';
import { PrincipalRepository } from './principal.repository.js';
import { INVITATION_DAYS } from './principals.service.js';
import { keepToken, mintToken } from './token.js';

export type FirstSignIn =
  /** An administrator can sign in without a new token. */
  | { readonly state: 'signed_in' }
  | { readonly state: 'issued'; readonly principal: Principal; readonly token: string; readonly expiresAt: Date }
  /** A token that was issued before, perhaps by another process, still works. */
  | { readonly state: 'invited'; readonly expiresAt: Date }
  /** The given token was used, revoked or has expired. */
  | { readonly state: 'spent' };

const NAME = 'Administrator';
const EMAIL = 'administrator@localhost';
const ACTOR = jobActor('first-start');

/** The administrator of the first start, who is also a reviewer. */
@Injectable()
export class FirstAdministrator {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly principals: PrincipalRepository,
    private readonly credentials: CredentialRepository,
  ) {}

  /** A new one-time token, which works only once `ensure` has issued it. */
  newToken(): string {
    return mintToken('one_time', this.ids.secret(32)).token;
  }

  /** The state without any change, to find out whether a token is needed. */
  async look(): Promise<FirstSignIn | undefined> {
    return this.currentState(this.database.client, this.clock.now());
  }

  /**
   * Makes sure that an administrator can sign in: creates the first one, or issues `token` as an invitation if none has
   * a sign-in (no sign-in yet, or the last one was revoked or expired). A token that still works is never revoked: it
   * may be the one that another process has just shown. A `given` token is issued beside such a token, because it
   * replaces one that is lost. This grants no further rights: the operator who starts the server owns its database.
   */
  ensure(token: string = this.newToken(), { given = false } = {}): Promise<FirstSignIn> {
    const minted = keepToken(token);
    return this.database.transaction(async (tx) => {
      await this.principals.lockFirstStart(tx);
      const now = this.clock.now();
      const known = await this.currentState(tx, now);
      if (known?.state === 'signed_in') return known;
      const same = await this.credentials.findByHash(tx, minted.hash);
      if (same)
        return same.usedAt || same.revokedAt || isOver(same.expiresAt, now) ? { state: 'spent' } : invited(same);
      if (known && !given) return known;
      const [administrator] = await this.administrators(tx);
      const principal = administrator ?? (await this.create(tx, now));
      const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
      const credential = {
        id: this.ids.uuid(),
        principalId: principal.id,
        kind: 'one_time',
        minted,
        scopes: [],
      } as const;
      await this.credentials.create(tx, { ...credential, createdAt: now, expiresAt });
      await this.journal.append(tx, ACTOR, {
        action: administrator ? 'access.invited' : 'access.person_added',
        subject: { type: 'principal', id: principal.id },
        data: { kind: principal.kind, name: principal.name, roles: principal.roles, owner: principal.owner },
      });
      return { state: 'issued', principal, token, expiresAt };
    });
  }

  /** True if this one-time token would sign an administrator in. */
  async isOpen(token: string): Promise<boolean> {
    const found = await this.credentials.findByHash(this.database.client, keepToken(token).hash);
    return found !== undefined && !found.usedAt && !found.revokedAt && !isOver(found.expiresAt, this.clock.now());
  }

  /** Undefined if no administrator has a sign-in or an invitation. */
  private async currentState(tx: Tx, now: Date): Promise<FirstSignIn | undefined> {
    const ids = (await this.administrators(tx)).map(({ id }) => id);
    if (await this.credentials.hasActiveSignIn(tx, ids, now)) return { state: 'signed_in' };
    const expiresAt = await this.credentials.lastOpenInvitation(tx, ids, now);
    return expiresAt === undefined ? undefined : { state: 'invited', expiresAt };
  }

  private async administrators(tx: Tx): Promise<Principal[]> {
    const people = await this.principals.list(tx, 'person');
    return people.filter(({ roles, disabledAt }) => roles.includes('admin') && disabledAt === null);
  }

  private create(tx: Tx, createdAt: Date): Promise<Principal> {
    const roles = { isReviewer: true, isAdmin: true };
    return this.principals.create(tx, {
      kind: 'person',
      name: NAME,
      email: EMAIL,
      ...roles,
      id: this.ids.uuid(),
      createdAt,
    });
  }
}

const isOver = (expiresAt: Date | null, now: Date): boolean => expiresAt !== null && expiresAt <= now;

/** A one-time token always expires. */
const invited = ({ expiresAt }: { readonly expiresAt: Date | null }): FirstSignIn => ({
  state: 'invited',
  expiresAt: expiresAt ?? new Date(0),
});
