import { Injectable } from '@nestjs/common';
import { DomainError } from '../../platform/base/domain.errors.js';
import { AGENT_HEADER, AgentName } from './access.schema.js';
import type { Caller } from './caller.js';
import { Principals } from './principals.service.js';
import { type Reporter, reporterOf } from './reporter.js';

/** Resolves the agent of a report: of an execution, or of the use of a skill. */
@Injectable()
export class ReporterResolver {
  constructor(private readonly principals: Principals) {}

  /** Returns the credential's agent, or the agent named by an importer that may report for others. */
  async resolve(caller: Caller, named: string | undefined): Promise<Reporter> {
    if (caller.kind === 'agent') {
      if (named !== undefined && named !== caller.name)
        throw new DomainError('forbidden', 'execution.other_agent', 'An agent can report for itself only.', [
          { field: AGENT_HEADER, message: 'is only for importers' },
        ]);
      return reporterOf(caller);
    }
    if (named === undefined)
      throw new DomainError('invalid', 'execution.agent_missing', `Name the agent in the header ${AGENT_HEADER}.`, [
        { field: AGENT_HEADER, message: 'is required' },
      ]);
    const name = AgentName.safeParse(named);
    if (!name.success)
      throw new DomainError('invalid', 'execution.agent_name', `${AGENT_HEADER}: ${name.error.issues[0]?.message}`, [
        { field: AGENT_HEADER, message: name.error.issues[0]?.message ?? 'is not a name' },
      ]);
    const agent = await this.principals.findOrRegisterAgent(caller, name.data);
    if (agent.disabledAt)
      throw new DomainError('conflict', 'execution.agent_disabled', `The agent "${agent.name}" is disabled.`);
    // The name of an importer without an owner stands in for the owner of its agents, but that owner was not stated.
    const owner = caller.kind === 'service' && caller.owner === null ? null : agent.owner;
    return {
      kind: 'agent',
      id: agent.id,
      name: agent.name,
      source: { owner, reporterId: caller.id, credentialId: caller.credentialId },
    };
  }
}
