import { Injectable } from '@nestjs/common';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import type { Principal } from './access.schema.js';
import type { Caller } from './caller.js';
import { PrincipalRepository } from './principal.repository.js';

export type AgentIdentity = Pick<Principal, 'id' | 'name' | 'role' | 'department' | 'owner'>;

/** Resolves the agent on whose behalf a request is made. */
@Injectable()
export class AgentResolver {
  constructor(
    private readonly database: Database,
    private readonly principals: PrincipalRepository,
  ) {}

  /**
   * Returns the agent itself, or the agent that a person or service names. Throws `forbidden`, `invalid` or
   * `not_found`.
   */
  async resolve(caller: Caller, name: string | undefined): Promise<AgentIdentity> {
    if (caller.kind === 'agent') {
      if (name !== undefined && name !== caller.name)
        throw new DomainError('forbidden', 'access.other_agent', 'An agent can make requests for itself only.', [
          { field: 'agent', message: 'is only for people and services' },
        ]);
      return caller;
    }
    if (name === undefined)
      throw new DomainError('invalid', 'access.agent_missing', 'Name the agent that this request is for.', [
        { field: 'agent', message: 'is required' },
      ]);
    const agent = await this.principals.findAgent(this.database.client, name);
    if (!agent)
      throw new DomainError('not_found', 'access.unknown_agent', `There is no agent "${name}".`, [
        { field: 'agent', message: 'is not the name of an agent' },
      ]);
    return agent;
  }
}
