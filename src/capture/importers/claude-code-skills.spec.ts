import { describe, expect, it } from '@jest/globals';
import { claudeCodeImporter } from './claude-code.importer.js';

const SKILL = 'close-the-books';
type Fields = Record<string, unknown>;

const attachment = (names: unknown): Fields => ({ type: 'attachment', attachment: { type: 'skill_listing', names } });
const asks: Fields = { type: 'user', message: { content: 'close the month' } };
const answer = (id: string, content: Fields[], fields: Fields = {}): Fields => ({
  type: 'assistant',
  message: { id, model: 'claude-haiku-5-5', content },
  ...fields,
});
const calls = (skill: unknown): Fields =>
  answer('m-1', [{ type: 'tool_use', id: 't-1', name: 'Skill', input: { skill } }]);
const result = (failed: boolean): Fields => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: 't-1', content: 'Launching', is_error: failed }] },
});
const works = answer('m-2', [{ type: 'text', text: 'done' }], { attributionSkill: `guildbook-skills:${SKILL}` });

function at(second: number): string {
  return `2026-01-05T09:00:0${second}.000Z`;
}

function linesOf(records: readonly Fields[], sessionId = 's'): string[] {
  return records.map((record, index) =>
    JSON.stringify({ sessionId, uuid: `u-${index}`, timestamp: at(index), ...record }),
  );
}

const derive = (...records: Fields[]) => claudeCodeImporter.derive(linesOf(records));

describe('the skills of a Claude Code session', () => {
  it('are the offered, the loaded and the applied ones', () => {
    const listing = attachment([`guildbook-skills:${SKILL}`, 'other-plugin:x', 'open-the-books', 7]);
    const { reports, skillUses } = derive(asks, listing, calls(SKILL), result(false), works, works);
    expect(skillUses).toEqual([
      {
        executionId: reports[0]?.executionId,
        outcome: 'unknown',
        uses: [
          { skill: SKILL, event: 'offered', at: at(1) },
          { skill: 'open-the-books', event: 'offered', at: at(1) },
          { skill: SKILL, event: 'loaded', at: at(3) },
          { skill: SKILL, event: 'applied', at: at(5) },
        ],
      },
    ]);
  });

  it.each([
    ['that could not be loaded', [calls(SKILL), result(true)]],
    ['whose load has no result', [calls(SKILL), answer('m-3', [{ type: 'text', text: 'never mind' }])]],
    ['without a name', [calls({ name: SKILL }), result(false)]],
  ])('have no skill %s', (_, records) => {
    const derived = derive(asks, ...records);
    expect(derived.reports).toHaveLength(1);
    expect(derived.skillUses).toEqual([]);
  });

  it('have the outcome failure only if the session failed, and never success', () => {
    const fails = { type: 'assistant', isApiErrorMessage: true, apiErrorStatus: 500 };
    expect(derive(asks, works).skillUses[0]?.outcome).toBe('unknown');
    expect(derive(asks, works, fails).skillUses[0]?.outcome).toBe('failure');
  });

  it('are separate from those of its sub-agents', () => {
    const child = { isSidechain: true, agentId: 'a1' };
    const childWorks = { ...works, ...child, message: { id: 'm-9', content: [{ type: 'text', text: 'seen' }] } };
    const { reports, skillUses } = derive(asks, attachment([SKILL]), calls('x'), { ...asks, ...child }, childWorks);
    expect(skillUses.map(({ executionId, uses }) => [executionId, uses.map(({ event }) => event)])).toEqual([
      [reports[0]?.executionId, ['offered']],
      [reports[1]?.executionId, ['applied']],
    ]);
  });

  it('do not change the report: a listing is not a turn', () => {
    const listing = attachment([SKILL]);
    const records = [asks, calls('x'), result(false), works];
    const ends = { ...listing, uuid: 'u-9', timestamp: at(9) };
    const [plain, listed] = [records, [...records, ends]].map((all) => claudeCodeImporter.derive(linesOf(all)).reports);
    expect(listed).toEqual(plain);
    expect(derive(listing).omitted).toEqual([{ reason: 'no turns', count: 1 }]);
  });
});
