import { z } from 'zod';
import { MMR_LAMBDA } from './diversity.js';
import { MAX_FUSED, RRF_K } from './fusion.js';
import { RANKING } from './ranking.js';

/** Which memories may be delivered: those that no model can infer, of these only verified ones, or all. */
export const FilterName = z.enum(['non_inferable', 'verified', 'none']);
export type FilterName = z.infer<typeof FilterName>;

const fraction = (fallback: number) => z.number().min(0).max(1).default(fallback);

/** Candidates for each delivered memory, so that filtering and diversity have enough to choose from. */
const POOL = 3;
/** Sums of decimal fractions, such as 0.7 + 0.3, are not exact. */
const ROUNDING = 1e-9;

/**
 * All numbers and choices of the linear and the hybrid pipeline, as in the file that GUILDBOOK_RANKING_PROFILE names. The
 * defaults are those of the reference design. Unknown fields are refused, since a misspelt one would have no effect.
 */
export const RankingProfile = z
  .strictObject({
    version: z.literal(1),
    /** Shown with the results. */
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,59}$/, 'must be 1 to 60 of a-z, 0-9, ".", "_" and "-"')
      .default('default'),
    /** The shares of relevance and recency in a score. Together 1, so that a score lies in [0, 1]. */
    relevanceWeight: fraction(RANKING.relevanceWeight),
    recencyWeight: fraction(RANKING.recencyWeight),
    /** Added to the relevance of what the agent learned itself. */
    personalBoost: fraction(RANKING.personalBoost),
    /** Recency is exp(−decayPerHour × hours). 0: nothing ages. */
    decayPerHour: z.number().min(0).max(10).default(RANKING.decayPerHour),
    /** Relevance below which a memory is not delivered, by the evidence of each source. */
    minRelevance: fraction(RANKING.minRelevance),
    /** Relevance of a memory that no search has scored: the core notes of `self_editing`. */
    defaultRelevance: fraction(1),
    /** Memories that one recall delivers at most, and ranks over which fused scores are normalised. */
    maxResults: z.int().min(1).max(MAX_FUSED).default(MAX_FUSED),
    fusion: z
      .strictObject({
        /** Reduces the weight of the first ranks. */
        k: z.number().min(1).max(1_000).default(RRF_K),
        /** Weight of the ranking by vectors; that by words has 1. Left out: the embedder's own. */
        embedderWeight: z.number().min(0).max(10).optional(),
      })
      .prefault({}),
    diversity: z
      .strictObject({
        /** Whether a recall diversifies if the request does not say. */
        enabled: z.boolean().default(true),
        /** 1: only relevance. 0: only difference. */
        lambda: fraction(MMR_LAMBDA),
        /** Candidates for each memory to deliver. */
        pool: z.int().min(1).max(10).default(POOL),
        /** How MMR measures that two memories say the same. Earlier versions also had the cosine of their vectors. */
        similarity: z.literal('word_bigrams', { error: 'must be word_bigrams' }).default('word_bigrams'),
      })
      .prefault({}),
    filter: FilterName.default('non_inferable'),
  })
  .refine(({ relevanceWeight, recencyWeight }) => Math.abs(relevanceWeight + recencyWeight - 1) < ROUNDING, {
    path: ['relevanceWeight'],
    error: 'relevanceWeight and recencyWeight must add up to 1',
  });
export type RankingProfile = z.infer<typeof RankingProfile>;

export const DEFAULT_PROFILE: RankingProfile = RankingProfile.parse({ version: 1 });
