import { DEFAULT_PROFILE } from '../../recall/ranking/ranking-profile.schema.js';
import type { Recall, RecallState } from '../../recall/ranking/recall.schema.js';
import { say } from '../texts/texts.js';

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
    memories: say('recall.memories', { n: state.memories }),
    vectors: vectors.enabled ? say('recall.vectors', { embedder, embedded, pending }) : null,
    stuck: vectors.problem,
    answer: answer ? answerView(answer) : null,
  };
}

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
      provenance: say(`recall.provenance.${memory.provenance}`),
      isVerified: memory.provenance === 'verified',
      scope: say(`recall.scope.${memory.scope}`),
      why: say('recall.why', {
        share: String(relevanceWeight),
        rest: String(recencyWeight),
        combined: formatScore(memory.combined),
        relevance: formatScore(memory.relevance),
        recency: formatScore(memory.recency),
      }),
      found: foundBy(memory.foundBy),
    })),
    leftOut: leftOut.map(({ id, discovery, because }) => ({
      id,
      discovery,
      because: say(`recall.because.${because}`),
    })),
    tools: tools.map(({ name, description }) => ({ name, description })),
    messages,
    size: say('recall.size', { n: memories.length, tokens }),
  };
}

function foundBy({ words, vectors }: Recall['memories'][number]['foundBy']): string {
  const said = [
    ...(words ? [say('recall.by-words', { rank: words.rank, relevance: formatScore(words.relevance) })] : []),
    ...(vectors ? [say('recall.by-vectors', { rank: vectors.rank, relevance: formatScore(vectors.relevance) })] : []),
  ];
  return said.length === 0 ? say('recall.always') : said.join(', ');
}

const formatScore = (value: number): string => value.toFixed(2);
