import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeMessage } from './chat-message.js';

const LINK = 'https://guildbook.example.org/review/1';
const EVIDENCE = { agents: 3, owners: 2, origins: 3, executions: 4, failures: 1 };
const body = (type: string, data: object) => JSON.stringify({ type, timestamp: '2026-11-21T10:00:00.000Z', data });
const slack = (type: string, data: object) => JSON.parse(writeMessage('slack', body(type, data)));
const teams = (type: string, data: object) => JSON.parse(writeMessage('teams', body(type, data)));
/** What a reader of the Slack message sees. */
const seen = (text: string) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
const runOf = (message: ReturnType<typeof teams>): string => message.attachments[0].content.body[0].inlines[0].text;

describe('a message to a chat', () => {
  const title = 'Run `python3 <py file>` instead of `python <py file>`';
  const data = { id: '1', title, evidence: EVIDENCE, link: LINK };

  it('is the stored body for a program', () => {
    const stored = body('proposal.submitted', data);
    expect(writeMessage('standard', stored)).toBe(stored);
  });

  it('is a section with a button for Slack', () => {
    const text =
      'New proposal to review: Run `python3 &lt;py file&gt;` instead of `python &lt;py file&gt;`: 3 agents, 4 executions, 1 failure';
    const button = { type: 'button', text: { type: 'plain_text', text: 'Open in Guildbook' }, url: LINK };
    expect(slack('proposal.submitted', data)).toEqual({
      text,
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } },
        { type: 'actions', elements: [button] },
      ],
    });
  });

  it('is an adaptive card with a link for Teams', () => {
    const message = teams('proposal.submitted', data);
    expect(message).toMatchObject({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }],
    });
    expect(runOf(message)).toBe(`New proposal to review: ${title}: 3 agents, 4 executions, 1 failure`);
    expect(message.attachments[0].content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open in Guildbook', url: LINK },
    ]);
  });

  it.each([
    ['proposal.approved', { ...data, override: true }, `Proposal approved by override: ${title}: 3 agents`],
    ['evolver.cycle_started', { id: '1', trigger: 'schedule', dryRun: false }, 'Evolver cycle started'],
    [
      'evolver.cycle_completed',
      { executionsRead: 40, patterns: 1, kept: 2, emitted: 2, heldBack: 0 },
      'Evolver cycle completed: 40 executions read, 1 pattern, 2 proposals submitted',
    ],
    ['evolver.cycle_failed', { reason: 'column\n"body" is gone' }, 'Evolver cycle failed: column "body" is gone'],
    ['evolver.conflict_detected', data, `Conflict to resolve: ${title}`],
    ['evolver.disabled', { id: 'GUILDBOOK_EVOLVER_ENABLED' }, 'The evolver is disabled'],
    [
      'skill.superseded',
      { ...data, supersededId: '2', skillName: 'use-python3', version: 2 },
      `Skill superseded: use-python3, by version 2: ${title}`,
    ],
    ['webhook.test', {}, 'Test message from Guildbook'],
    ['of.a.later.version', {}, 'of.a.later.version'],
  ])('says what happened: %s', (type, content, text) => {
    expect(seen(slack(type, content).text)).toContain(text);
    expect(runOf(teams(type, content))).toContain(text);
  });

  it('has no button without an address of the server', () => {
    expect(slack('proposal.submitted', { ...data, link: null }).blocks).toHaveLength(1);
    expect(teams('proposal.submitted', { ...data, link: null }).attachments[0].content.actions).toEqual([]);
  });

  it.each([
    ['<!channel> <!here> <@U012AB3CD> <!subteam^S01>', '<!channel> <!here> <＠U012AB3CD> <!subteam^S01>'],
    ['@channel, @everyone and ＠here', '＠channel, ＠everyone and ＠here'],
    ['<https://evil.example|approve>', '<https://evil.example|approve>'],
    ['<at>Ada</at> [approve](https://evil.example)', '＜at>Ada＜/at> [approve](https://evil.example)'],
    ['npm install tool@1.2 &amp; a\n> b\u202e', 'npm install tool@1.2 &amp; a > b'],
  ])('mentions and links nothing that a title says: %s', (hostile, shown) => {
    expect(seen(slack('webhook.test', { title: hostile }).text)).toBe(`Test message from Guildbook: ${shown}`);
    expect(runOf(teams('webhook.test', { title: hostile }))).toBe(`Test message from Guildbook: ${shown}`);
  });

  it('is escaped and bounded for every text', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '&',
      '@',
      '＠',
      '!',
      '|',
      '<!channel>',
      '<at>',
      '</AT >',
      '\n',
      '\u200b',
      'a',
    );
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 900 }).map((of) => of.join('')),
    );
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const { text, blocks } = slack('evolver.cycle_failed', { title: one, reason: other, evidence: EVIDENCE });
        expect(text).toMatch(/^(?:[^<>&\n]|&(?:amp|lt|gt);)*$/);
        expect(blocks[0].text).toEqual({ type: 'mrkdwn', text, verbatim: true });
        const run = runOf(teams('evolver.cycle_failed', { title: one, reason: other, evidence: EVIDENCE }));
        expect(run).toBe(seen(text));
        expect(run).not.toMatch(/<\/?at\b/i);
        for (const shown of [text, run]) expect(shown).not.toMatch(/(?<![\p{L}\p{N}])@/u);
      }),
    );
    expect(slack('evolver.cycle_failed', { title: '&'.repeat(5_000) }).text.length).toBeLessThan(3_000);
  });
});
