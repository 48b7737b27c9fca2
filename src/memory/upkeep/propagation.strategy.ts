import type { Actor } from '../../journal/actor.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import { generalOf } from '../../untrusted/redaction/redact-deep.js';
import { withoutContradictions } from '../lessons/kept-note.js';
import { byId } from '../lessons/retention-candidate.js';
import { Lesson } from '../store/lesson.schema.js';
import type { MemoryEntry } from '../store/memory.schema.js';
import { provenanceOf } from '../store/provenance.js';

/** The role and department of an agent. */
export interface AgentMembership {
  readonly id: string;
  readonly role: string | null;
  readonly department: string | null;
}

/** Selects the agents that may receive a copy of an agent's lesson, by id; never the agent itself. */
export interface PropagationStrategy {
  readonly type: 'none' | 'role' | 'department';
  peers(source: AgentMembership, agents: readonly AgentMembership[]): string[];
}

/** The control tag of a copy. */
export const propagatedFrom = (agentId: string): string => `propagated:${agentId}`;

/**
 * What a copy of a lesson for others has: its text without paths, hosts and addresses of the agent, and its worth. What was
 * verified is the words of the source; other words start unverified. Undefined if no valid lesson is left.
 */
export function copyOf(source: MemoryEntry, by: Actor['kind']) {
  const lesson = generalOf(source.lesson);
  if (!Lesson.safeParse(lesson).success) return undefined;
  const isSame = canonicalJson(lesson) === canonicalJson(source.lesson);
  const rank = source.provenance === 'verified' && !isSame ? 'unverified' : source.provenance;
  return {
    lesson,
    contentSha256: sha256(canonicalJson(lesson)),
    provenance: provenanceOf(rank, 'copy', by),
    controlTags: [...withoutContradictions(source.controlTags), propagatedFrom(source.agentId ?? '')],
    proposer: source.proposer,
    propagatedFromId: source.id,
  };
}

/** `role` and `department`: agents of the same one. An agent without it has no peers. */
export function propagationStrategy(type: PropagationStrategy['type']): PropagationStrategy {
  const groupOf = (agent: AgentMembership): string | null => (type === 'none' ? null : agent[type]);
  const peers: PropagationStrategy['peers'] = (source, agents) => {
    const group = groupOf(source);
    if (group === null) return [];
    return agents
      .filter((agent) => agent.id !== source.id && groupOf(agent) === group)
      .sort(byId)
      .map(({ id }) => id);
  };
  return { type, peers };
}

/**
 * Orders the peers for one lesson: by a hash of both ids (rendezvous hashing). The first ones receive the copies, so each
 * lesson has its own, every peer comes first for its share of the lessons, and the order is the same in every run.
 */
export function inTurn(lessonId: string, peers: readonly string[]): string[] {
  const places = new Map(peers.map((id) => [id, sha256(`${lessonId} ${id}`)]));
  const placeOf = (id: string): string => places.get(id) ?? '';
  return [...peers].sort((a, b) => compareText(placeOf(a), placeOf(b)) || compareText(a, b));
}
