import type { ListedPrincipal } from '../../access/identity/access.schema.js';
import { ProposalState, type ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { Scope } from '../../memory/store/lesson.schema.js';
import { isIdPrefix, isWholeId } from '../../platform/base/id-prefix.js';
import { clip } from '../../untrusted/text/clip.js';
import { type Candidate, matchName, type Noun, unknownName } from './name-match.js';

/** Items of a page of the API. */
const PAGE = 100;
/** Characters of a title or discovery in a list of candidates. */
const CLIP = 60;

const AGENT: Noun = { one: 'agent', many: 'agents', list: 'guildbook agents' };
const SERVICE: Noun = { one: 'service', many: 'services', list: 'guildbook services' };
const PERSON: Noun = { one: 'person', many: 'people', list: 'guildbook people' };
const WEBHOOK: Noun = { one: 'webhook', many: 'webhooks', list: 'guildbook webhooks' };
const AUDIT_STREAM: Noun = { one: 'audit stream', many: 'audit streams', list: 'guildbook journal streams' };
const PAUSE: Noun = { one: 'pause', many: 'pauses', list: 'guildbook status' };
const PENDING: Noun = { one: 'pending proposal', many: 'pending proposals', list: 'guildbook proposals' };
const PROPOSAL: Noun = { one: 'proposal', many: 'proposals', list: 'guildbook proposals list --state <state>' };
const CLUSTER: Noun = { one: 'cluster', many: 'clusters', list: 'guildbook proposals' };
const LESSON: Noun = { one: 'lesson', many: 'lessons', list: 'guildbook lessons' };
const RUN: Noun = { one: 'upkeep run', many: 'upkeep runs', list: 'guildbook memory runs' };
const CONSOLIDATION: Noun = {
  one: 'consolidation run',
  many: 'consolidation runs',
  list: 'guildbook consolidate list',
};
const CONSOLIDATION_PAUSE: Noun = { one: 'pause', many: 'pauses', list: 'guildbook consolidate pauses' };
const TUNING_RUN: Noun = { one: 'tuning run', many: 'tuning runs', list: 'guildbook embedder runs' };
const CHECKPOINT: Noun = { one: 'checkpoint', many: 'checkpoints', list: 'guildbook embedder checkpoints' };
const FAMILY: Noun = { one: 'family', many: 'families', list: 'guildbook evolve families' };
const CYCLE: Noun = { one: 'cycle', many: 'cycles', list: 'guildbook evolve cycles' };

/** States of proposals that can be reopened. */
const REOPENABLE: readonly ProposalState[] = ['rejected', 'expired', 'withdrawn'];

/** The id of an agent, from its name, the beginning of its id, or its id, which costs no request. */
export const agentId = (client: Guildbook, given: string): Promise<string> =>
  idOf(AGENT, given, async () => (await client.agents.list()).items.map(principalCandidate));

export const serviceId = (client: Guildbook, given: string): Promise<string> =>
  idOf(SERVICE, given, async () => (await client.services.list()).items.map(principalCandidate));

/** A person, also by e-mail address. */
export const personId = (client: Guildbook, given: string): Promise<string> =>
  idOf(PERSON, given, async () => (await client.people.list()).items.map(principalCandidate));

/** A webhook, by its URL or the beginning of its id. */
export const webhookOf = (client: Guildbook, given: string): Promise<Candidate> =>
  candidateOf(WEBHOOK, given, async () =>
    (await client.webhooks.list()).items.map(({ id, url, events, createdAt }) => ({
      id,
      names: [url],
      details: [events.join(', '), `since ${createdAt.slice(0, 10)}`],
    })),
  );

/** An audit stream, by its address, its path, or the beginning of its id. */
export const auditStreamOf = (client: Guildbook, given: string): Promise<Candidate> =>
  candidateOf(AUDIT_STREAM, given, async () =>
    (await client.auditStreams.list()).items.map(({ id, kind, target, createdAt }) => ({
      id,
      names: [target],
      details: [kind, `since ${createdAt.slice(0, 10)}`],
    })),
  );

/** A pause of deliveries, by its project or the beginning of its id. */
export const pauseId = (client: Guildbook, given: string): Promise<string> =>
  idOf(PAUSE, given, async () =>
    (await client.pauses.list()).items.map(({ id, person, project, since }) => ({
      id,
      names: project === null ? [] : [project],
      details: [person.name, `since ${since.slice(0, 10)}`],
    })),
  );

/** A pending proposal, by its skill name, its title (or the title in dashes), or the beginning of its id. */
export const pendingProposalId = (client: Guildbook, given: string): Promise<string> =>
  idOf(PENDING, given, () => proposalsIn(client, ['pending']));

/** Any proposal: a pending one as above, or a decided one by the beginning of its id. */
export async function proposalId(client: Guildbook, given: string): Promise<string> {
  if (isWholeId(given.toLowerCase())) return given.toLowerCase();
  const pending = await proposalsIn(client, ['pending']);
  const found = matchName(PENDING, given, pending);
  if (found) return found.id;
  if (!isIdPrefix(given.toLowerCase())) throw unknownName(PENDING, given, pending);
  const decided = ProposalState.options.filter((state) => state !== 'pending');
  return idOf(PROPOSAL, given, () => proposalsIn(client, decided));
}

/** A proposal that can be reopened. */
export const closedProposalId = (client: Guildbook, given: string): Promise<string> =>
  idOf(PROPOSAL, given, () => proposalsIn(client, REOPENABLE));

/** A cluster of near-duplicates among the proposals of a state, by the beginning of its id. */
export const clusterId = (client: Guildbook, given: string, state: ProposalState): Promise<string> =>
  idOf(CLUSTER, given, async () =>
    (await proposalPages(client, state)).map(({ cluster, title }) => ({
      id: cluster.id,
      names: [],
      details: [clip(title, CLIP)],
    })),
  );

/** A lesson or another memory, live or ended, by the beginning of its id. */
export const lessonId = (client: Guildbook, given: string): Promise<string> =>
  idOf(LESSON, given, async () => {
    const id = given.toLowerCase();
    if (!isIdPrefix(id)) return [];
    const lists = await Promise.all(
      Scope.options.map((scope) => client.lessons({ id, scope, state: 'all', limit: PAGE })),
    );
    return lists.flatMap(({ items }) =>
      items.map(({ id: found, lesson, createdAt }) => ({
        id: found,
        names: [],
        details: [createdAt.slice(0, 10), clip(lesson.discovery, CLIP)],
      })),
    );
  });

/** An upkeep run, by the beginning of its id. */
export const upkeepRunId = (client: Guildbook, given: string): Promise<string> =>
  idOf(RUN, given, async () => {
    const id = given.toLowerCase();
    if (!isIdPrefix(id)) return [];
    const { items } = await client.upkeep.list({ id, limit: PAGE });
    return items.map((run) => ({
      id: run.id,
      names: [],
      details: [run.startedAt, run.dryRun ? 'dry run' : run.trigger],
    }));
  });

/** A consolidation run, by the beginning of its id. */
export const consolidationRunId = (client: Guildbook, given: string): Promise<string> =>
  idOf(CONSOLIDATION, given, async () => {
    const id = given.toLowerCase();
    if (!isIdPrefix(id)) return [];
    const { items } = await client.consolidation.list({ id, limit: PAGE });
    return items.map((run) => ({
      id: run.id,
      names: [],
      details: [run.agent ?? '', run.startedAt, run.dryRun ? 'dry run' : run.trigger],
    }));
  });

/** A pause of the consolidation, by its agent or the beginning of its id. */
export const consolidationPauseId = (client: Guildbook, given: string): Promise<string> =>
  idOf(CONSOLIDATION_PAUSE, given, async () =>
    (await client.consolidation.pauses()).items.map(({ id, agent, since }) => ({
      id,
      names: agent === null ? [] : [agent],
      details: [agent ?? 'all agents', `since ${since.slice(0, 10)}`],
    })),
  );

/** A tuning run, by the beginning of its id. */
export const tuningRunId = (client: Guildbook, given: string): Promise<string> =>
  idOf(TUNING_RUN, given, async () =>
    (await client.tuning.runs({ limit: PAGE })).items.map(({ id, kind, state, createdAt }) => ({
      id,
      names: [],
      details: [kind, state, createdAt],
    })),
  );

/** A checkpoint of the embedder, by its name or the beginning of its id. */
export const checkpointId = (client: Guildbook, given: string): Promise<string> =>
  idOf(CHECKPOINT, given, async () =>
    (await client.tuning.checkpoints()).items.map(({ id, name, kind, createdAt, deletedAt }) => ({
      id,
      names: [name],
      details: [kind, createdAt],
      isEnded: deletedAt !== null,
    })),
  );

/** The fingerprint of a family of the newest cycle, from its first hex digits, with or without `sha256:`. */
export async function familyFingerprint(client: Guildbook, given: string): Promise<string> {
  const digits = given.toLowerCase().replace(/^sha256:/, '');
  if (/^[0-9a-f]{64}$/.test(digits)) return `sha256:${digits}`;
  const candidates: Candidate[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await client.evolver.families({ limit: PAGE, ...(after ? { after } : {}) });
    for (const { fingerprint, signature } of page.items)
      candidates.push({ id: fingerprint.replace(/^sha256:/, ''), names: [], details: [clip(signature, CLIP)] });
    after = page.items.length > 0 ? (page.next ?? null) : null;
  }
  const found = matchName(FAMILY, digits, candidates);
  if (!found) throw unknownName(FAMILY, given);
  return `sha256:${found.id}`;
}

/** A cycle, by the beginning of its id. */
export const cycleId = (client: Guildbook, given: string): Promise<string> =>
  idOf(CYCLE, given, async () => {
    const candidates: Candidate[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await client.evolver.reports({ limit: PAGE, ...(after ? { after } : {}) });
      for (const { id, startedAt, state } of page.items)
        candidates.push({ id, names: [], details: [startedAt, state] });
      after = page.items.length > 0 ? (page.next ?? null) : null;
    }
    return candidates;
  });

/** A whole id is taken as it is, so that a name cannot stand for another one's id. */
async function candidateOf(
  noun: Noun,
  given: string,
  candidates: () => Promise<readonly Candidate[]>,
): Promise<Candidate> {
  const id = given.toLowerCase();
  if (isWholeId(id)) return { id, names: [], details: [] };
  const known = await candidates();
  const found = matchName(noun, given, known);
  if (!found) throw unknownName(noun, given, known);
  return found;
}

const idOf = async (...of: Parameters<typeof candidateOf>): Promise<string> => (await candidateOf(...of)).id;

function principalCandidate(principal: ListedPrincipal): Candidate {
  const { id, name, email, owner, role, department, createdAt, disabledAt } = principal;
  const about = [email, owner, role, department].filter((one) => one !== null && one !== undefined);
  return {
    id,
    names: [name, ...(email ? [email] : [])],
    details: [...about, `since ${createdAt.slice(0, 10)}`, ...(disabledAt ? ['disabled'] : [])],
    isEnded: Boolean(disabledAt),
  };
}

async function proposalsIn(client: Guildbook, states: readonly ProposalState[]): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const state of states)
    for (const { id, skillName, title, kind, createdAt } of await proposalPages(client, state))
      candidates.push({
        id,
        names: [skillName, title, slugOf(title)],
        details: [kind, state, `since ${createdAt.slice(0, 10)}`, clip(title, CLIP)],
      });
  return candidates;
}

async function proposalPages(client: Guildbook, state: ProposalState): Promise<ProposalSummary[]> {
  const all: ProposalSummary[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await client.proposals.list({ state, limit: PAGE, ...(after ? { after } : {}) });
    all.push(...page.items);
    after = page.items.length > 0 ? (page.next ?? null) : null;
  }
  return all;
}

/** A title as one word for a command line: `Use python3 here` becomes `use-python3-here`. */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join('-');
