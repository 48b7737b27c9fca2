import { Injectable } from '@nestjs/common';
import type { Actor, AdminActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, isUniqueViolation, type Tx } from '../../platform/database/database.js';
import type { Scope } from '../../platform/http/require-scope.decorator.js';
import type {
  AgentChange,
  Issued,
  ListedPrincipal,
  NewAgent,
  NewPerson,
  NewService,
  PersonChange,
  Principal,
  Rotation,
} from './access.schema.js';
import { AuthService } from './auth.service.js';
import { CredentialRepository } from './credential.repository.js';
import { type NewPrincipal, type PrincipalPageQuery, PrincipalRepository } from './principal.repository.js';

export const INVITATION_DAYS = 7;
export const AGENT_SCOPES: readonly Scope[] = ['report', 'read'];

const conflictOn = (code: string, field: string, says: string): DomainError =>
  new DomainError('conflict', code, says, [{ field, message: 'is taken' }]);

const daysToMs = (count: number | null | undefined): number | null => (count ? count * DAY_MS : null);

/** The service or administrator that names the agent of a report. */
type Importer = {
  readonly id: string;
  readonly kind: Principal['kind'];
  readonly name: string;
  readonly owner: string | null;
};

type Registration = Omit<NewPrincipal, 'id' | 'createdAt'>;

/** Registers agents, people and services, and issues their tokens. */
@Injectable()
export class Principals {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly auth: AuthService,
    private readonly principals: PrincipalRepository,
    private readonly credentials: CredentialRepository,
  ) {}

  list(kind: Principal['kind']): Promise<ListedPrincipal[]> {
    return this.principals.list(this.database.client, kind);
  }

  /** Returns a page sorted by name; `next` is the start of the next page. */
  async page(
    kind: Principal['kind'],
    query: PrincipalPageQuery,
  ): Promise<{ items: ListedPrincipal[]; next: string | null }> {
    const found = await this.principals.page(this.database.client, kind, query);
    const items = found.slice(0, query.limit);
    return { items, next: found.length > query.limit ? (items.at(-1)?.name ?? null) : null };
  }

  addAgent(actor: AdminActor, { expiresInDays, ...agent }: NewAgent): Promise<Issued> {
    return this.register(actor, { kind: 'agent', ...agent }, (tx, id, now) =>
      this.issueToken(tx, id, AGENT_SCOPES, now, daysToMs(expiresInDays)),
    );
  }

  addService(actor: AdminActor, { scopes, expiresInDays, ...service }: NewService): Promise<Issued> {
    return this.register(actor, { kind: 'service', ...service }, (tx, id, now) =>
      this.issueToken(tx, id, scopes, now, daysToMs(expiresInDays)),
    );
  }

  /** Registers a person with a unique address and issues the one-time token for their first sign-in. */
  addPerson(actor: AdminActor, { reviewer, admin, ...person }: NewPerson): Promise<Issued> {
    return this.register(actor, { kind: 'person', ...person, isReviewer: reviewer, isAdmin: admin }, (tx, id, now) =>
      this.issueInvitation(tx, id, now),
    );
  }

  /** Issues a new one-time token to a person and revokes all their credentials. */
  async invite(actor: AdminActor, id: string): Promise<Issued> {
    return this.database.transaction(async (tx) => {
      const principal = await this.lockActive(tx, id, 'person');
      const now = this.clock.now();
      await this.credentials.revokeAll(tx, id, now);
      await this.principals.unlinkAccount(tx, id);
      const issued = await this.issueInvitation(tx, id, now);
      await this.journalChange(tx, actor, 'access.invited', principal);
      return { principal, ...issued };
    });
  }

  /** Changes a person's roles and review scope. Tokens lose removed rights at once; new rights need a new sign-in. */
  async changePerson(actor: AdminActor, id: string, change: PersonChange): Promise<Principal> {
    return this.database.transaction(async (tx) => {
      const administrators = await this.principals.lockAdministrators(tx);
      const before = await this.lockActive(tx, id, 'person');
      const previous = { reviewer: before.roles.includes('reviewer'), admin: before.roles.includes('admin') };
      const roles = { isReviewer: change.reviewer ?? previous.reviewer, isAdmin: change.admin ?? previous.admin };
      const reviewScope = change.reviewScope === undefined ? before.reviewScope : change.reviewScope;
      const isSameReviewScope = JSON.stringify(reviewScope) === JSON.stringify(before.reviewScope);
      if (roles.isReviewer === previous.reviewer && roles.isAdmin === previous.admin && isSameReviewScope)
        return before;
      if (!roles.isAdmin) this.requireAnotherAdministrator(administrators, id);
      const after = await this.principals.updatePerson(tx, id, { ...roles, reviewScope });
      await this.journalChange(tx, actor, 'access.person_changed', after, {
        before: before.roles,
        ...(isSameReviewScope ? {} : { reviewScopeBefore: before.reviewScope }),
      });
      return after;
    });
  }

  /** Changes the core block of an agent, from its next write and delivery on. */
  async changeAgent(actor: AdminActor, id: string, change: AgentChange): Promise<Principal> {
    return this.database.transaction(async (tx) => {
      const { coreTokens, coreWritable } = await this.lockActive(tx, id, 'agent');
      const after = await this.principals.updateAgent(tx, id, change);
      if (after.coreTokens === coreTokens && after.coreWritable === coreWritable) return after;
      await this.journalChange(tx, actor, 'access.agent_changed', after, {
        coreTokens: after.coreTokens ?? null,
        coreWritable: after.coreWritable ?? true,
      });
      return after;
    });
  }

  /**
   * Issues a new token to an agent or service. All earlier ones, even of a concurrent rotation, stop working at once.
   */
  async rotate(actor: AdminActor, id: string, { expiresInDays }: Rotation = {}): Promise<Issued> {
    return this.database.transaction(async (tx) => {
      const principal = await this.lockActive(tx, id);
      if (principal.kind === 'person')
        throw new DomainError('invalid', 'access.person_has_no_token', 'People sign in; invite them instead.');
      const now = this.clock.now();
      const { scopes, lifeMs } = await this.credentials.newestToken(tx, id);
      await this.credentials.revokeAll(tx, id, now);
      const lifetimeMs = expiresInDays === undefined ? lifeMs : daysToMs(expiresInDays);
      // An agent known only from imports has no token yet.
      const issued = await this.issueToken(tx, id, principal.kind === 'agent' ? AGENT_SCOPES : scopes, now, lifetimeMs);
      await this.journalChange(tx, actor, 'access.rotated', principal);
      return { principal, ...issued };
    });
  }

  /** Disables a principal and all its credentials. Its name stays reserved, so that old records name the right one. */
  async disable(actor: AdminActor, id: string): Promise<Principal> {
    return this.database.transaction(async (tx) => {
      const administrators = await this.principals.lockAdministrators(tx);
      const principal = await this.lockActive(tx, id);
      if (principal.id === actor.id)
        throw new DomainError('conflict', 'access.self', 'You cannot disable yourself. Ask another administrator.');
      this.requireAnotherAdministrator(administrators, id);
      const now = this.clock.now();
      await this.principals.disable(tx, id, now);
      await this.credentials.revokeAll(tx, id, now);
      await this.journalChange(tx, actor, 'access.disabled', principal);
      return { ...principal, disabledAt: now.toISOString() };
    });
  }

  /** Returns the agent that an importer names. Registers it under the importer's owner if it is new. */
  async findOrRegisterAgent(importer: Importer, name: string): Promise<Principal> {
    const known = await this.principals.findAgent(this.database.client, name);
    const owner = importer.owner ?? importer.name;
    if (known) return this.requireReportingFor(importer, owner, known);
    try {
      const actor: Actor = { kind: 'job', id: importer.id, name: `import by ${importer.name}` };
      return await this.database.transaction(async (tx) => {
        const created = await this.create(tx, { kind: 'agent', name, owner });
        await this.journalChange(tx, actor, 'access.agent_registered', created);
        return created;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const raced = await this.principals.findByName(this.database.client, 'agent', name);
      if (!raced) throw error;
      return this.requireReportingFor(importer, owner, raced);
    }
  }

  private async register(
    actor: AdminActor,
    registration: Registration,
    issue: (tx: Tx, id: string, now: Date) => Promise<Pick<Issued, 'token' | 'expiresAt'>>,
  ): Promise<Issued> {
    try {
      return await this.database.transaction(async (tx) => {
        const principal = await this.create(tx, registration);
        await this.journalChange(tx, actor, `access.${registration.kind}_added`, principal);
        return { principal, ...(await issue(tx, principal.id, this.clock.now())) };
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const { kind, email } = registration;
      const isShared =
        email !== undefined && (await this.principals.findByEmail(this.database.client, email)).length > 0;
      throw isShared
        ? conflictOn(
            'access.email_taken',
            'email',
            'Another person already has this e-mail address. Each person has one vote and therefore needs a separate address.',
          )
        : conflictOn('access.name_taken', 'name', `Another ${kind} already has this name.`);
    }
  }

  /** A service reports for agents of its owner only, so that its token cannot fabricate another owner's evidence. */
  private requireReportingFor({ kind, name }: Importer, owner: string, agent: Principal): Principal {
    if (kind === 'person' || agent.owner === owner) return agent;
    throw new DomainError(
      'forbidden',
      'access.other_owner',
      `The agent "${agent.name}" belongs to another owner than the importer "${name}".`,
    );
  }

  private create(tx: Tx, registration: Registration): Promise<Principal> {
    return this.principals.create(tx, { ...registration, id: this.ids.uuid(), createdAt: this.clock.now() });
  }

  private async issueToken(tx: Tx, id: string, scopes: readonly Scope[], now: Date, lifeMs: number | null) {
    const expiresAt = lifeMs === null ? null : new Date(now.getTime() + lifeMs);
    const token = await this.auth.issue(tx, id, 'token', scopes, now, expiresAt);
    return { token, expiresAt: expiresAt?.toISOString() ?? null };
  }

  private async issueInvitation(tx: Tx, id: string, now: Date) {
    const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
    return {
      token: await this.auth.issue(tx, id, 'one_time', [], now, expiresAt),
      expiresAt: expiresAt.toISOString(),
    };
  }

  /** Returns the principal and locks it, so that simultaneous changes by two administrators run one after the other. */
  private async lockActive(tx: Tx, id: string, kind?: Principal['kind']): Promise<Principal> {
    const principal = await this.principals.lock(tx, id);
    if (!principal || (kind && principal.kind !== kind))
      throw new DomainError('not_found', 'access.unknown_principal', `There is no ${kind ?? 'principal'} ${id}.`);
    if (principal.disabledAt) throw new DomainError('conflict', 'access.disabled', `${principal.name} is disabled.`);
    return principal;
  }

  private requireAnotherAdministrator(administrators: readonly string[], without: string): void {
    if (administrators.some((id) => id !== without)) return;
    throw new DomainError(
      'conflict',
      'access.last_administrator',
      'This person is the last administrator. Make another person an administrator first.',
    );
  }

  private journalChange(
    tx: Tx,
    actor: Actor,
    action: string,
    principal: Principal,
    more: Record<string, unknown> = {},
  ) {
    const { kind, name, roles, owner, reviewScope } = principal;
    return this.journal.append(tx, actor, {
      action,
      subject: { type: 'principal', id: principal.id },
      data: { kind, name, roles, owner, ...(reviewScope === null ? {} : { reviewScope: reviewScope }), ...more },
    });
  }
}
