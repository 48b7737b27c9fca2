import type { RecallRequest, RetrievalMode, StrategyName } from '../ranking/recall.schema.js';

/** The options that not every strategy uses. `overrides` has another sentence. */
type Option = Extract<
  keyof RecallRequest,
  | 'limit'
  | 'diversify'
  | 'rounds'
  | 'retrieval'
  | 'tools'
  | 'role'
  | 'newOnly'
  | 'verifiedOnly'
  | 'minRelevance'
  | 'weak'
  | 'recentTools'
  | 'alreadyRead'
>;

const OPTIONS: readonly Option[] = [
  ...(['limit', 'diversify', 'rounds', 'retrieval', 'tools', 'role', 'newOnly', 'verifiedOnly'] as const),
  ...(['minRelevance', 'weak', 'recentTools', 'alreadyRead'] as const),
];

/** How the request is answered. */
export interface ChosenWays {
  readonly strategy: StrategyName;
  readonly retrieval: RetrievalMode;
  /** Whether a model selects the memories. */
  readonly hasSelector: boolean;
}

/**
 * Returns a warning for each reason why options of the request have no effect. A default is no request: an option that is
 * left out, or that asks for nothing, is never named.
 */
export function ignoredOptions(request: RecallRequest, { strategy, retrieval, hasSelector }: ChosenWays): string[] {
  const asked = OPTIONS.filter((option) => isAsked(request[option]));
  if (strategy !== 'context')
    return asked.length === 0 ? [] : [`The strategy "${strategy}" ignores ${asked.join(', ')}.`];
  return [
    ...(asked.includes('tools') && retrieval !== 'keyword_overlap'
      ? [`The retrieval "${retrieval}" ignores tools: only "keyword_overlap" uses them.`]
      : []),
    ...(asked.includes('recentTools') && retrieval !== 'keyword_overlap' && !hasSelector
      ? ['Nothing uses recentTools: no model selects, and the retrieval is not "keyword_overlap".']
      : []),
    ...(request.diversify === true && hasSelector ? ['The selection model ignores diversify: it chooses itself.'] : []),
  ];
}

const isAsked = (value: RecallRequest[Option]): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== 0;
