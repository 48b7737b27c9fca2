import { isStatedOwner, type NamedPerson } from '../../access/identity/stated-owner.js';

/** What a person paused. Null: every project, every session, no end. */
export interface PausedSessions {
  readonly person: NamedPerson;
  readonly project: string | null;
  /** The reference of the session. */
  readonly session: string | null;
  readonly until: Date | null;
}

/** A session of an agent, as far as pauses go. */
export interface PausableSession {
  /** The stated owner of its agent. */
  readonly owner: string | null;
  /** Names of the project: its folder, its repository. */
  readonly projects: readonly string[];
  /** The reference of the session's id, and that of the id under which it is reported. */
  readonly sessions: readonly string[];
}

/** Returns whether the session receives nothing at this time because of the pause. */
export function isPausedBy(pause: PausedSessions, { owner, projects, sessions }: PausableSession, now: Date): boolean {
  if (pause.until !== null && pause.until <= now) return false;
  if (pause.session !== null && !sessions.includes(pause.session)) return false;
  if (pause.project !== null && !projects.includes(pause.project)) return false;
  return isStatedOwner(pause.person, owner);
}
