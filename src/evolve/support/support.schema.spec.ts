import { describe, expect, it } from '@jest/globals';
import { enoughSupport, oneSupport, type SupportLevel, supportReached, tooLittleSupport } from './support.schema.js';

describe('independent support in words', () => {
  it('names the unit that was counted', () => {
    const words = (unit: SupportLevel['unit']) =>
      [tooLittleSupport, enoughSupport, oneSupport].map((say) => say({ unit, needed: 3 }));
    expect(words('agents')).toEqual(['seen by fewer than 3 agents', 'seen by at least 3 agents', 'by one agent']);
    expect(words('projects')).toEqual([
      'seen in fewer than 3 projects',
      'seen in at least 3 projects',
      'in one project',
    ]);
    expect(words('sessions')).toEqual(['seen in fewer than 3 tasks', 'seen in at least 3 tasks', 'in one task']);
  });

  it('says how much is missing', () => {
    expect(supportReached(2, { unit: 'sessions', needed: 3 })).toBe('in 2 of 3 tasks');
    expect(supportReached(1, { unit: 'agents', needed: 5 })).toBe('by 1 of 5 agents');
  });

  it('counts agents in cycles before there were levels', () => {
    expect(tooLittleSupport(undefined)).toBe('seen by fewer than 3 agents');
  });
});
