import type { ListedPrincipal } from '../../access/identity/access.schema.js';
import { ProposalState, type ProposalSummary } from '../../approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { Scope } from '../../memory/store/lesson.schema.js';
import { isIdPrefix, isWholeId } from '../../platform/base/id-prefix.js';
import { optional } from '../../platform/base/optional.js';
import { clip } from '../../untrusted/text/clip.js';
import { type Candidate, matchName, type Noun, unknownName } from './name-match.js';

/** Items of a page of the API. */
const PAGE = 100;
/** Characters of a title or discovery in a list of candidates. */
const CLIP = 60;

const noun = (one: string, list: string, many = `${one}s`): Noun => ({ one, many, list });

const PENDING = noun('pending proposal', 'guildbook proposals');
const PROPOSAL = noun('proposal', 'guildbook proposals list --state <state>');
const FAMILY = noun('family', 'guildbook evolve families', 'families');

/** States of proposals that can be reopened; an approved one after its skill was retired. */
const REOPENABLE: readonly ProposalState[] = ['rejected', 'expired', 'withdrawn', 'approved'];

type IdOf = (client: Guildbook, given: string) => Promise<string>;

/** The id of an agent, from its name, the beginning of its id, or its id, which costs no request. */
export const agentId: IdOf = (client, given) =>
  idOf(noun('agent', 'guildbook agents'), given, async () =>
    (await client.agents.list()).items.map(principalCandidate),
  );

export const serviceId: IdOf = (client, given) =>
  idOf(noun('service', 'guildbook services'), given, async () =>
    (await client.services.list()).items.map(principalCandidate),
  );

/** A person, also by e-mail address. */
export const personId: IdOf = (client, given) =>
  idOf(noun('person', 'guildbook people', 'people'), given, async () =>
    (await client.people.list()).items.map(principalCandidate),
  );

/** A webhook, by its URL or the beginning of its id. */
export const webhookOf = (client: Guildbook, given: string): Promise<Candidate> =>
  candidateOf(noun('webhook', 'guildbook webhooks'), given, async () =>
    (await client.webhooks.list()).items.map(({ id, url, events, createdAt }) =>
      candidate(id, [events.join(', '), since(createdAt)], url),
    ),
  );

/** An audit stream, by its address, its path, or the beginning of its id. */
export const auditStreamOf = (client: Guildbook, given: string): Promise<Candidate> =>
  candidateOf(noun('audit stream', 'guildbook journal streams'), given, async () =>
    (await client.auditStreams.list()).items.map(({ id, kind, target, createdAt }) =>
      candidate(id, [kind, since(createdAt)], target),
    ),
  );

/** A pause of deliveries, by its project or the beginning of its id. */
export const pauseId: IdOf = (client, given) =>
  idOf(noun('pause', 'guildbook status'), given, async () =>
    (await client.pauses.list()).items.map(({ id, person, project, since: from }) =>
      candidate(id, [person.name, since(from)], project),
    ),
  );

/** A pending proposal, by its skill name, its title (or the title in dashes), or the beginning of its id. */
export const pendingProposalId: IdOf = (client, given) => idOf(PENDING, given, () => proposalsIn(client, ['pending']));

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
export const closedProposalId: IdOf = (client, given) => idOf(PROPOSAL, given, () => proposalsIn(client, REOPENABLE));

/** A cluster of near-duplicates among the proposals of a state, by the beginning of its id. */
export const clusterId = (client: Guildbook, given: string, state: ProposalState): Promise<string> =>
  idOf(noun('cluster', 'guildbook proposals'), given, async () =>
    (await proposalPages(client, state)).map(({ cluster, title }) => candidate(cluster.id, [clip(title, CLIP)])),
  );

/** A lesson or another memory, live or ended, by the beginning of its id. */
export const lessonId: IdOf = (client, given) =>
  idBeginning(noun('lesson', 'guildbook lessons'), given, async (query) => {
    const lists = await Promise.all(Scope.options.map((scope) => client.lessons({ ...query, scope, state: 'all' })));
    return lists.flatMap(({ items }) =>
      items.map(({ id, lesson, createdAt }) => candidate(id, [createdAt.slice(0, 10), clip(lesson.discovery, CLIP)])),
    );
  });

/** An upkeep run, by the beginning of its id. */
export const upkeepRunId: IdOf = (client, given) =>
  idBeginning(noun('upkeep run', 'guildbook memory runs'), given, async (query) =>
    (await client.upkeep.list(query)).items.map(({ id, startedAt, dryRun, trigger }) =>
      candidate(id, [startedAt, dryRun ? 'dry run' : trigger]),
    ),
  );

/** A consolidation run, by the beginning of its id. */
export const consolidationRunId: IdOf = (client, given) =>
  idBeginning(noun('consolidation run', 'guildbook consolidate list'), given, async (query) =>
    (await client.consolidation.list(query)).items.map(({ id, agent, startedAt, dryRun, trigger }) =>
      candidate(id, [agent ?? '', startedAt, dryRun ? 'dry run' : trigger]),
    ),
  );

/** A pause of the consolidation, by its agent or the beginning of its id. */
export const consolidationPauseId: IdOf = (client, given) =>
  idOf(noun('pause', 'guildbook consolidate pauses'), given, async () =>
    (await client.consolidation.pauses()).items.map(({ id, agent, since: from }) =>
      candidate(id, [agent ?? 'all agents', since(from)], agent),
    ),
  );

/** A tuning run, by the beginning of its id. */
export const tuningRunId: IdOf = (client, given) =>
  idOf(noun('tuning run', 'guildbook embedder runs'), given, async () =>
    (await client.tuning.runs({ limit: PAGE })).items.map(({ id, kind, state, createdAt }) =>
      candidate(id, [kind, state, createdAt]),
    ),
  );

/** A checkpoint of the embedder, by its name or the beginning of its id. */
export const checkpointId: IdOf = (client, given) =>
  idOf(noun('checkpoint', 'guildbook embedder checkpoints'), given, async () =>
    (await client.tuning.checkpoints()).items.map(({ id, name, kind, createdAt, deletedAt }) => ({
      ...candidate(id, [kind, createdAt], name),
      isEnded: deletedAt !== null,
    })),
  );

/** The fingerprint of a family of the newest cycle, from its first hex digits, with or without `sha256:`. */
export const familyFingerprint: IdOf = async (client, given) => {
  const digits = given.toLowerCase().replace(/^sha256:/, '');
  if (/^[0-9a-f]{64}$/.test(digits)) return `sha256:${digits}`;
  const families = await allPages((after) => client.evolver.families({ limit: PAGE, ...after }));
  const found = matchName(
    FAMILY,
    digits,
    families.map(({ fingerprint, signature }) =>
      candidate(fingerprint.replace(/^sha256:/, ''), [clip(signature, CLIP)]),
    ),
  );
  if (!found) throw unknownName(FAMILY, given);
  return `sha256:${found.id}`;
};

/** A cycle, by the beginning of its id. */
export const cycleId: IdOf = (client, given) =>
  idOf(noun('cycle', 'guildbook evolve cycles'), given, async () =>
    (await allPages((after) => client.evolver.reports({ limit: PAGE, ...after }))).map(({ id, startedAt, state }) =>
      candidate(id, [startedAt, state]),
    ),
  );

const candidate = (id: string, details: readonly string[], name: string | null = null): Candidate => ({
  id,
  names: name === null ? [] : [name],
  details,
});

const since = (time: string): string => `since ${time.slice(0, 10)}`;

/** A whole id is taken as it is, so that a name cannot stand for another one's id. */
async function candidateOf(
  what: Noun,
  given: string,
  candidates: () => Promise<readonly Candidate[]>,
): Promise<Candidate> {
  const id = given.toLowerCase();
  if (isWholeId(id)) return candidate(id, []);
  const known = await candidates();
  const found = matchName(what, given, known);
  if (!found) throw unknownName(what, given, known);
  return found;
}

const idOf = async (...of: Parameters<typeof candidateOf>): Promise<string> => (await candidateOf(...of)).id;

/** For lists that the server searches by the beginning of an id. */
const idBeginning = (
  what: Noun,
  given: string,
  candidates: (query: { id: string; limit: number }) => Promise<readonly Candidate[]>,
): Promise<string> =>
  idOf(what, given, async () => {
    const id = given.toLowerCase();
    return isIdPrefix(id) ? candidates({ id, limit: PAGE }) : [];
  });

function principalCandidate(principal: ListedPrincipal): Candidate {
  const { id, name, email, owner, role, department, createdAt, disabledAt } = principal;
  const about = [email, owner, role, department].filter((one) => one !== null && one !== undefined);
  return {
    id,
    names: [name, ...(email ? [email] : [])],
    details: [...about, since(createdAt), ...(disabledAt ? ['disabled'] : [])],
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
        details: [kind, state, since(createdAt), clip(title, CLIP)],
      });
  return candidates;
}

const proposalPages = (client: Guildbook, state: ProposalState): Promise<ProposalSummary[]> =>
  allPages((after) => client.proposals.list({ state, limit: PAGE, ...after }));

/** The items of all pages. `page` asks for what follows the item that it is given. */
export async function allPages<T>(
  page: (after: { after?: string }) => Promise<{ readonly items: readonly T[]; readonly next?: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let from: string | null | undefined; from !== null; ) {
    const { items, next = null } = await page(optional('after', from));
    all.push(...items);
    from = items.length > 0 ? next : null;
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
