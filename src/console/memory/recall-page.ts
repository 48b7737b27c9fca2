import type { Provenance } from '../../memory/store/lesson.schema.js';
import { DEFAULT_PROFILE } from '../../recall/ranking/ranking-profile.schema.js';
import type { Recall, RecallState } from '../../recall/ranking/recall.schema.js';
import { counted, grouped } from '../frame/quantity.js';

export interface RecallForm {
  readonly q: string;
  readonly agent: string;
  readonly strategy: string;
  readonly retrieval: string;
}

export interface RecallFacts {
  readonly form: RecallForm;
  readonly agents: readonly string[];
  readonly state: RecallState;
  readonly answer: Recall | undefined;
  /** Why a requested recall has no answer. */
  readonly problem: string | null;
}

const STRATEGIES = ['context', 'tool_based', 'self_editing'] as const;
const RETRIEVALS = ['words', 'vectors', 'hybrid', 'keyword_overlap'] as const;

export function recallView({ form, agents, state, answer, problem }: RecallFacts) {
  const { vectors } = state;
  const { embedder, embedded, pending } = vectors;
  return {
    q: form.q,
    agent: form.agent,
    agents,
    problem,
    strategies: STRATEGIES.map((name) => option(name, form.strategy || state.strategy)),
    retrievals: RETRIEVALS.map((name) => option(name, form.retrieval || state.retrieval)),
    memories: `${counted(state.memories, 'memory', 'memories')} available to search.`,
    vectors: vectors.enabled
      ? `Vectors of ${embedder}: ${grouped(embedded)} ready, ${grouped(pending)} pending.`
      : null,
    stuck: vectors.problem,
    answer: answer ? answerView(answer) : null,
  };
}

const PROVENANCES: Readonly<Record<Provenance, string>> = {
  verified: 'verified',
  unverified: 'not verified: context only',
  unavailable_at_write_time: 'not verified, of unknown origin: context only',
};

const LEFT_OUT: Readonly<Record<Recall['leftOut'][number]['because'], string>> = {
  below_threshold: 'relevance too low',
  filtered: 'not marked non-inferable',
  delivered_before: 'already delivered in this session',
  already_read: 'the agent has read it',
  repeats_another: 'says the same as another memory',
  not_selected: 'not selected by the model',
  session_full: 'the session limit of 60 KB is reached',
  beyond_limit: 'result limit reached, or too similar',
  over_budget: 'token budget exceeded',
};

const option = (name: string, current: string) => ({ name, isCurrent: name === current });

function answerView(answer: Recall) {
  const { memories, leftOut, messages, tools, tokens, warnings } = answer;
  const { relevanceWeight, recencyWeight } = answer.profile ?? DEFAULT_PROFILE;
  return {
    warnings,
    delivered: memories.map((memory, at) => ({
      at: at + 1,
      id: memory.id,
      discovery: memory.discovery,
      provenance: PROVENANCES[memory.provenance],
      isVerified: memory.provenance === 'verified',
      scope:
        memory.scope === 'agent' ? 'own memory' : memory.scope === 'org' ? 'approved skill' : `${memory.scope} memory`,
      why: `${formatScore(memory.combined)}: ${relevanceWeight} of relevance ${formatScore(memory.relevance)}, ${recencyWeight} of recency ${formatScore(memory.recency)}`,
      found: foundBy(memory.foundBy),
    })),
    leftOut: leftOut.map(({ id, discovery, because }) => ({
      id,
      discovery,
      because: LEFT_OUT[because],
    })),
    tools: tools.map(({ name, description }) => ({ name, description })),
    messages,
    size: `${counted(memories.length, 'memory', 'memories')}, about ${counted(tokens, 'token')} in total`,
  };
}

function foundBy({ words, vectors }: Recall['memories'][number]['foundBy']): string {
  const said = [
    ...(words ? [`rank ${grouped(words.rank)} by keywords (${formatScore(words.relevance)})`] : []),
    ...(vectors ? [`rank ${grouped(vectors.rank)} by vectors (${formatScore(vectors.relevance)})`] : []),
  ];
  return said.length === 0 ? 'always delivered' : said.join(', ');
}

const formatScore = (value: number): string => value.toFixed(2);
