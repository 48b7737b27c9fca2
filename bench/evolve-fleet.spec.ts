import { describe, expect, it } from '@jest/globals';
import { CYCLE_DEFAULTS, runCycle } from '../test/support/cycles.js';
import { transcripts } from './evolve-fleet.js';

describe('the generated fleet', () => {
  const fleet = transcripts(1_500, 30, 7);

  it('is the same for the same seed', () => {
    expect(transcripts(1_500, 30, 7)).toEqual(fleet);
    expect(transcripts(1_500, 30, 8)).not.toEqual(fleet);
  });

  it('contains lessons, unsolved problems, and some without a proven remedy', () => {
    const executions = fleet.map(({ calls }, n) => ({
      id: `execution ${n}`,
      agentId: `agent ${n % 40}`,
      agentName: `Agent ${n % 40}`,
      owner: `owner ${n % 4}`,
      rootExecutionKey: `execution ${n}`,
      origin: `origin ${n}`,
      finishedAt: '2026-03-01T10:00:00Z',
      report: { toolCalls: [...calls], status: 'completed' as const, verification: { outcome: 'none' as const } },
    }));
    const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
    const outcome = runCycle({ executions, ...known, settings: CYCLE_DEFAULTS });
    const titles = outcome.drafts.map(({ text }) => text.title);
    expect(titles.filter((title) => title.includes('python3'))).toHaveLength(1);
    expect(titles.filter((title) => title.includes('build --fresh')).length).toBeGreaterThan(2);
    expect(titles.length).toBeGreaterThan(5);
    expect(outcome.unsolved.length).toBeGreaterThan(1);
    expect(outcome.overcome.length).toBeGreaterThan(2);
  });

  it('uses the first category most often', () => {
    const count = (category: number) => fleet.filter((one) => one.category === category).length;
    expect(count(0)).toBeGreaterThan(1.5 * count(1));
    expect(count(1)).toBeGreaterThan(3 * count(29));
  });
});
