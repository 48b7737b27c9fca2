import { Injectable } from '@nestjs/common';
import type { Actor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { Database, isUniqueViolation, type Tx } from '../../platform/database/database.js';
import type { Issued, Principal, Product } from './access.schema.js';
import { AuthService } from './auth.service.js';
import type { Caller } from './caller.js';
import { CredentialRepository } from './credential.repository.js';
import { PrincipalRepository } from './principal.repository.js';
import { AGENT_SCOPES } from './principals.service.js';

const MAX_NAME = 100;

/**
 * The agents that people connect themselves: one for each person and product, with the person as its owner. Each machine
 * has a separate token, so that disconnecting one leaves the others connected.
 */
@Injectable()
export class OwnAgents {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly auth: AuthService,
    private readonly principals: PrincipalRepository,
    private readonly credentials: CredentialRepository,
  ) {}

  /** Registers the agent if it is new. Throws a conflict if its name belongs to another owner, or if it is disabled. */
  async issue(person: Caller, product: Product): Promise<Issued> {
    try {
      return await this.issueOnce(person, product);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // Another request of this person has registered the agent meanwhile.
      return this.issueOnce(person, product);
    }
  }

  private issueOnce(person: Caller, product: Product): Promise<Issued> {
    const name = `${person.name.slice(0, MAX_NAME - product.length - 1).trimEnd()}/${product}`;
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const known = await this.principals.findByName(tx, 'agent', name);
      const principal =
        known === undefined
          ? await this.principals.create(tx, {
              id: this.ids.uuid(),
              kind: 'agent',
              name,
              owner: person.name,
              createdAt: now,
            })
          : await this.lockOwn(tx, person, known);
      const token = await this.auth.issue(tx, principal.id, 'token', AGENT_SCOPES, now, null);
      const { id } = person;
      await this.append(tx, { kind: 'owner', id, name: person.name }, 'access.own_agent_token_issued', principal.id, {
        name,
        owner: person.name,
        isNew: known === undefined,
      });
      return { principal, token, expiresAt: null };
    });
  }

  private async lockOwn(tx: Tx, person: Caller, { id }: Principal): Promise<Principal> {
    const agent = await this.principals.lock(tx, id);
    if (agent?.owner !== person.name)
      throw new DomainError(
        'conflict',
        'access.name_taken',
        'An agent of another owner has the name that your agent would get. Ask an administrator.',
      );
    if (agent.disabledAt) throw new DomainError('conflict', 'access.disabled', `${agent.name} is disabled.`);
    return agent;
  }

  /** Revokes the credential of the caller and no other one of the agent. */
  async revoke({ id, name, credentialId }: Caller): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.principals.lock(tx, id);
      await this.credentials.revoke(tx, credentialId, this.clock.now());
      await this.append(tx, { kind: 'agent', id, name }, 'access.own_token_revoked', id, { name });
    });
  }

  private append(tx: Tx, actor: Actor, action: string, id: string, data: Record<string, unknown>) {
    return this.journal.append(tx, actor, { action, subject: { type: 'principal', id }, data });
  }
}
