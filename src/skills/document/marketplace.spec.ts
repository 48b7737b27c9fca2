import { describe, expect, it } from '@jest/globals';
import { copilotPlugin, MARKETPLACE_NAME, marketplaceManifest, PLUGIN_NAME } from './marketplace.js';

describe('the marketplace manifest', () => {
  const manifest = JSON.parse(marketplaceManifest(['ask-first', 'retry-once']));

  it('offers one plugin, the repository itself, that lists every skill by its folder', () => {
    expect(manifest.plugins).toHaveLength(1);
    expect(manifest.plugins[0]).toMatchObject({
      name: PLUGIN_NAME,
      source: './',
      skills: ['./ask-first', './retry-once'],
    });
  });

  it('is laid out as readable JSON', () => {
    for (const names of [[], ['ask-first'], ['ask-first', 'retry-once']]) {
      const text = marketplaceManifest(names);
      expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    }
  });

  it('passes a strict validation: names in kebab-case, descriptions, an owner', () => {
    for (const name of [manifest.name, manifest.plugins[0].name]) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(manifest.name).toBe(MARKETPLACE_NAME);
    for (const text of [manifest.description, manifest.plugins[0].description, manifest.owner.name]) {
      expect(text).toMatch(/\w/);
    }
  });

  it('has no version, so that each commit counts as one', () => {
    expect(marketplaceManifest(['ask-first'])).not.toContain('version');
  });

  it('has a plugin for Copilot CLI beside it that takes every skill at the root, and nothing that runs', () => {
    expect(JSON.parse(copilotPlugin())).toEqual({
      name: PLUGIN_NAME,
      description: manifest.plugins[0].description,
      skills: './',
    });
    expect(copilotPlugin()).toMatch(/\}\n$/);
  });

  it('ends with a line end and is the same for the same skills', () => {
    expect(marketplaceManifest([])).toMatch(/"skills": \[\][\s\S]*\}\n$/);
    expect(marketplaceManifest(['a', 'b'])).toBe(marketplaceManifest(['a', 'b']));
  });
});
