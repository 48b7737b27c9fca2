import type { Config } from '../../platform/config/config.js';
import type { Embedder } from '../embedding/embedder.js';
import { HttpEmbedder } from '../embedding/http-embedder.strategy.js';
import { LocalEmbedder } from '../embedding/local-embedder.strategy.js';

type Settings = Pick<
  Config,
  | 'retrieval'
  | 'recallStrategy'
  | 'queryExpansionRounds'
  | 'queryExpander'
  | 'recallSelector'
  | 'recallModel'
  | 'embedderUrl'
  | 'embedderModel'
  | 'embedderApiKey'
  | 'embedderTimeoutSeconds'
  | 'embedderMinSimilarity'
  | 'embedderWeight'
>;

/** Creates the configured embedder. `loadConfig` has checked that its settings are complete. */
export function createEmbedder(settings: Settings): Embedder {
  const { embedderUrl, embedderModel } = settings;
  if (embedderUrl === undefined || embedderModel === undefined) return new LocalEmbedder();
  return new HttpEmbedder({
    url: embedderUrl,
    model: embedderModel,
    apiKey: settings.embedderApiKey,
    timeoutMs: settings.embedderTimeoutSeconds * 1_000,
    minSimilarity: settings.embedderMinSimilarity,
    weight: settings.embedderWeight,
  });
}

/** Warnings for the operator about settings without effect. */
export function recallWarnings(settings: Settings): string[] {
  const { retrieval, embedderUrl, embedderApiKey, embedderModel } = settings;
  const isLocal = embedderUrl === undefined;
  const unused = [
    ...(embedderModel === undefined ? [] : ['GUILDBOOK_EMBEDDER_MODEL']),
    ...(embedderApiKey === undefined ? [] : ['GUILDBOOK_EMBEDDER_API_KEY']),
  ];
  const warnings: string[] = [];
  if (isLocal && unused.length > 0) warnings.push(`${unused.join(', ')}: no effect without GUILDBOOK_EMBEDDER_URL.`);
  if (!isLocal && (retrieval === 'words' || retrieval === 'keyword_overlap'))
    warnings.push(
      `GUILDBOOK_EMBEDDER_URL: no effect while GUILDBOOK_RETRIEVAL is ${retrieval}, except for recalls that request vectors.`,
    );
  if (isLocal && retrieval === 'vectors')
    warnings.push(
      'GUILDBOOK_RETRIEVAL=vectors: with the local embedder this finds less than keyword search, because it compares spelling, not meaning.',
    );
  if (settings.recallStrategy === 'self_editing' && settings.queryExpansionRounds > 0)
    warnings.push(
      'GUILDBOOK_QUERY_EXPANSION_ROUNDS: with the strategy self_editing this affects only the search tool, not the context of the agent.',
    );
  const byModel = [
    ...(settings.recallSelector === 'model' ? ['GUILDBOOK_RECALL_SELECTOR=model'] : []),
    ...(settings.queryExpander === 'model' ? ['GUILDBOOK_QUERY_EXPANDER=model'] : []),
  ];
  if (byModel.length > 0 && settings.recallModel === undefined)
    warnings.push(`${byModel.join(', ')}: no effect without GUILDBOOK_RECALL_MODEL.`);
  if (byModel.length === 0 && settings.recallModel !== undefined)
    warnings.push(
      'GUILDBOOK_RECALL_MODEL: no effect without GUILDBOOK_RECALL_SELECTOR=model or GUILDBOOK_QUERY_EXPANDER=model.',
    );
  if (settings.queryExpander === 'model' && settings.queryExpansionRounds === 0)
    warnings.push(
      'GUILDBOOK_QUERY_EXPANDER=model: no effect while GUILDBOOK_QUERY_EXPANSION_ROUNDS is 0, except for recalls that set rounds.',
    );
  return warnings;
}
