import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../platform/config/config.js';
import { createEmbedder, recallWarnings } from './recall-setup.js';

const http = {
  GUILDBOOK_EMBEDDER_URL: 'http://127.0.0.1:9/v1',
  GUILDBOOK_EMBEDDER_MODEL: 'm-1',
};

describe('the recall configuration', () => {
  it('defaults to keyword search and the local embedder', () => {
    const config = loadConfig({});
    expect([config.retrieval, createEmbedder(config).name, recallWarnings(config)]).toEqual([
      'words',
      'hashed-pieces/1/512',
      [],
    ]);
  });

  it('names the model of an HTTP embedder, so that another model embeds all memories again', () => {
    const config = loadConfig({ ...http, GUILDBOOK_RETRIEVAL: 'hybrid' });
    expect([createEmbedder(config).name, recallWarnings(config)]).toEqual(['http/m-1', []]);
    expect(() => loadConfig({ GUILDBOOK_EMBEDDER_URL: http.GUILDBOOK_EMBEDDER_URL })).toThrow(
      /GUILDBOOK_EMBEDDER_MODEL: required with GUILDBOOK_EMBEDDER_URL/,
    );
    expect(() => loadConfig({ ...http, GUILDBOOK_EMBEDDER_URL: 'http://example.org/v1' })).toThrow('https:');
  });

  it('warns about settings without effect', () => {
    const { GUILDBOOK_EMBEDDER_URL: _, ...unused } = http;
    expect(recallWarnings(loadConfig({ ...unused, GUILDBOOK_EMBEDDER_API_KEY: 'k' }))).toEqual([
      expect.stringMatching(/^GUILDBOOK_EMBEDDER_MODEL, GUILDBOOK_EMBEDDER_API_KEY: no effect/),
    ]);
    expect(recallWarnings(loadConfig(http))).toEqual([
      expect.stringContaining('except for recalls that request vectors'),
    ]);
    expect(recallWarnings(loadConfig({ GUILDBOOK_RETRIEVAL: 'vectors' }))).toEqual([
      expect.stringContaining('spelling, not meaning'),
    ]);
    const byModel = { GUILDBOOK_RECALL_SELECTOR: 'model', GUILDBOOK_QUERY_EXPANDER: 'model' };
    expect(recallWarnings(loadConfig(byModel))).toEqual([
      'GUILDBOOK_RECALL_SELECTOR=model, GUILDBOOK_QUERY_EXPANDER=model: no effect without GUILDBOOK_RECALL_MODEL.',
      expect.stringContaining('GUILDBOOK_QUERY_EXPANSION_ROUNDS is 0'),
    ]);
    expect(recallWarnings(loadConfig({ GUILDBOOK_RECALL_MODEL: 'm' }))).toEqual([
      expect.stringContaining('no effect without GUILDBOOK_RECALL_SELECTOR=model or'),
    ]);
    expect(
      recallWarnings(loadConfig({ ...byModel, GUILDBOOK_RECALL_MODEL: 'm', GUILDBOOK_QUERY_EXPANSION_ROUNDS: '1' })),
    ).toEqual([]);
  });
});
