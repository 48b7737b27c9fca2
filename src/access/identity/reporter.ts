import type { AgentActor } from '../../journal/actor.js';
import type { Caller } from './caller.js';

/** Who reported an execution, recorded with it. It never changes, also if the agent gets another owner later. */
export interface ReportSource {
  /** The stated owner of the agent; null if none was stated. */
  readonly owner: string | null;
  /** The principal that holds the credential: the agent itself, a service or a person. */
  readonly reporterId: string;
  readonly credentialId: string;
}

/** The agent of a report, and who reported it. */
export interface Reporter extends AgentActor {
  readonly source: ReportSource;
}

/** Returns the agent of the credential as the reporter of the agent's work. */
export const reporterOf = ({ id, name, owner, credentialId }: Caller): Reporter => ({
  kind: 'agent',
  id,
  name,
  source: { owner, reporterId: id, credentialId },
});
