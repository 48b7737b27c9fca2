import { describe, expect, it } from '@jest/globals';
import { askedFor, type DeliveredPair } from './delivered-pairs.js';

const pair = (agentId: string, title: string, description: string | null = null, memoryId = 'm1'): DeliveredPair => ({
  memoryId,
  agentId,
  title,
  description,
});

describe('the tasks in which a skill was delivered', () => {
  it('ask for it if two agents reported them', () => {
    const both = [pair('a', 'Close the books'), pair('b', 'Close the books', null, 'm2')];
    expect(askedFor(both)).toEqual([
      { text: 'Close the books', memoryId: 'm1' },
      { text: 'Close the books', memoryId: 'm2' },
    ]);
  });

  it('are not read if one agent alone reported them, however often', () => {
    expect(askedFor([pair('a', 'Close the books'), pair('a', 'Close the books'), pair('b', 'Ship it')])).toEqual([]);
  });

  it('ask for nothing with the title of a product', () => {
    expect(askedFor([pair('a', 'Claude Code session'), pair('b', 'Claude Code session')])).toEqual([]);
    const described = ['a', 'b'].map((agent) => pair(agent, 'Claude Code session', 'Close the books'));
    expect(askedFor(described).map(({ text }) => text)).toEqual(['Close the books', 'Close the books']);
  });

  it('lose what names a person or a place before they are compared', () => {
    const texts = askedFor([pair('a', 'Mail ann@example.org'), pair('b', 'Mail bob@example.org')]);
    expect(texts).toHaveLength(2);
    expect(JSON.stringify(texts)).not.toMatch(/ann@|bob@/);
  });
});
