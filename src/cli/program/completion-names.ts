import type { Guildbook } from '../../client/guildbook.js';
import { pauseText } from '../terminal/pause-text.js';
import type { Candidate } from './completion-words.js';

/** As many as a person may want to see. */
const MOST = 100;

/** The names that a command accepts for a placeholder, from the server. Every text in them may come from anyone. */
export const NAMES: Readonly<Record<string, (client: Guildbook) => Promise<Candidate[]>>> = {
  agent: async (client) => enabled((await client.agents.list()).items).map((one) => named(one.name, one.owner)),
  service: async (client) => enabled((await client.services.list()).items).map((one) => named(one.name, one.owner)),
  person: async (client) => enabled((await client.people.list()).items).map((one) => named(one.name, one.email)),
  skill: async (client) => (await client.skills.list()).items.map((one) => named(one.name, `version ${one.version}`)),
  proposal: async (client) =>
    (await client.proposals.list({ limit: MOST })).items.map((one) => named(one.id, one.title)),
  lesson: async (client) =>
    (await client.lessons({ limit: MOST })).items.map(({ id, lesson }) => named(id, lesson.discovery)),
  run: async (client) => (await client.upkeep.list()).items.map(({ id, startedAt }) => named(id, startedAt)),
  consolidation: async (client) =>
    (await client.consolidation.list()).items.map(({ id, agent, startedAt }) =>
      named(id, `${agent ?? ''} ${startedAt}`),
    ),
  tuning: async (client) =>
    (await client.tuning.runs()).items.map(({ id, kind, state }) => named(id, `${kind} ${state}`)),
  checkpoint: async (client) => (await client.tuning.checkpoints()).items.map(({ id, name }) => named(id, name)),
  family: async (client) =>
    (await client.evolver.families({ limit: MOST })).items.map((one) => named(one.fingerprint, one.signature)),
  pause: async (client) => (await client.pauses.list()).items.map((one) => named(one.id, pauseText(one))),
  webhook: async (client) => (await client.webhooks.list()).items.map(({ id, url }) => named(id, url)),
  stream: async (client) => (await client.auditStreams.list()).items.map(({ id, target }) => named(id, target)),
};

const named = (value: string, description: string | null | undefined): Candidate => ({
  value,
  description: description ?? '',
});

const enabled = <A extends { readonly disabledAt: string | null }>(all: readonly A[]): A[] =>
  all.filter(({ disabledAt }) => disabledAt === null);
