import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { oneLine, table } from '../../src/cli/terminal/terminal.js';
import { escapeInvisible } from '../../src/untrusted/text/escape-invisible.js';
import { WebhookDeliveryWorker } from '../../src/webhooks/webhook-delivery-worker.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, type PageAnswer } from '../support/console.js';
import { pythonReport } from '../support/fleet.js';
import { CHARACTERS, LOOKALIKES, MARKUP } from '../support/hostile-texts.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';

const UNICODE = [CHARACTERS.slice(0, 25).join(' '), CHARACTERS.slice(25).join(' '), ...LOOKALIKES];
const ALL = [...MARKUP, ...UNICODE];
const NOWHERE = '00000000-0000-4000-8000-000000000000';

/** A tag, or an attribute name in a tag, that can only come from the lists. */
const FOREIGN_TAG =
  /<(?:iframe|math|meta http-equiv=refresh|form action=\/\/|svg\/|img src|mtext|script>alert|script src=\/\/)|<[a-z][^>]*\s(?:on[a-z]+|srcdoc|formaction)\s*=|(?:href|src|action)=["']?(?:javascript|data:text|\/\/evil)/i;

/** Sends the hostile lists through every place that shows text from outside, beside the browser tests. */
describe('text from outside', () => {
  let app: TestApplication;
  let receiver: Receiver;
  let page: Console;
  let items: ProposalDetails[];
  let skill: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    app = await startTestApplication({
      GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true',
      GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK: '1',
    });
    await app.admin.webhooks.add({ url: receiver.url });
    page = await Console.signedIn(app, 'Rita Reviewer', { reviewer: true });
    const { client } = await app.agent('reporting agent');
    items = [];
    for (const [n, text] of ALL.entries()) {
      const [title, tag] = [text.slice(0, 190), text.slice(0, 50)];
      const parts = { discovery: text, condition: text, action: text, rationale: text };
      const says = { title: `${n} ${title}`, ...parts, steps: [text], gotchas: [text], tags: [tag] };
      items.push(await submitTestProposal(app, `Hostile ${n}`, {}, says, { failing: failing(text) }));
      const toolCalls = [{ name: 'Bash', action: text, ok: false, errorMessage: text }];
      await client.executions.report({ ...pythonReport(app, `hostile ${n}`), taskTitle: text, toolCalls });
    }
    for (const { id, artifactSha256 } of items.slice(0, ALL.length - 1))
      await app.admin.proposals.approve(id, artifactSha256);
    await app.admin.proposals.reject(items.at(-1)?.id ?? '', ALL.join('\n').slice(0, 1_500));
    await app.settled();
    skill = items[0]?.skillName ?? '';
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const get = async (path: string): Promise<PageAnswer> => {
    const answer = await fetch(app.url + path, { headers: { authorization: `Bearer ${app.adminToken}` } });
    return { status: answer.status, headers: answer.headers, text: await answer.text(), to: null };
  };
  const isGuarded = (path: string, { headers }: PageAnswer) => {
    expect([path, headers.get('content-security-policy')]).toEqual([
      path,
      expect.stringContaining("default-src 'none'"),
    ]);
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    for (const [, value] of headers) expect(value).toMatch(/^[\t -~]*$/);
  };

  it('is shown as text on every page of the console, without hidden characters', async () => {
    const { items: runs } = await app.admin.executions.list({ limit: ALL.length });
    const paths = ['/', '/review/next', '/skills', '/fleet', '/cycles', '/journal'];
    paths.push(...items.map(({ id }) => `/review/${id}`), ...items.map(({ skillName }) => `/skills/${skillName}`));
    paths.push(...runs.map(({ id }) => `/executions/${id}`), `/skills?q=${encodeURIComponent(MARKUP[1] ?? '')}`);
    for (const path of paths) {
      const answer = await page.get(path);
      isGuarded(path, answer);
      expect([path, FOREIGN_TAG.exec(answer.text)?.[0]]).toEqual([path, undefined]);
      expect([path, answer.text.split('\n').find((line) => escapeInvisible(line) !== line)]).toEqual([path, undefined]);
    }
  });

  it('is escaped when it comes from an address: on error pages and on the sign-in page', async () => {
    for (const text of ALL) {
      const sent = encodeURIComponent(text);
      for (const path of [`/sign-in?to=/${sent}&token=${sent}`, `/skills/${sent}`, `/journal?action=${sent}`]) {
        const answer = await page.get(path);
        isGuarded(path, answer);
        expect([path, FOREIGN_TAG.exec(answer.text)?.[0]]).toEqual([path, undefined]);
        expect(answer.to ?? '').not.toMatch(/evil|javascript/i);
      }
    }
  });

  it('is data in responses and problems that no browser renders as a page', async () => {
    const paths = [`/v1/proposals/${items[0]?.id}`, '/v1/proposals', '/v1/executions', '/v1/journal', '/v1/skills'];
    for (const text of ALL) {
      const sent = encodeURIComponent(text);
      paths.push(`/v1/skills/${sent}`, `/v1/proposals?kind=${sent}`, `/v1/proposals?q=${sent}`, `/v1/no-${sent}`);
    }
    for (const path of paths) {
      const answer = await get(path);
      isGuarded(path, answer);
      expect(answer.headers.get('content-type')).toMatch(
        answer.status < 400 ? /^application\/json/ : /^application\/problem\+json/,
      );
      expect(() => JSON.parse(answer.text)).not.toThrow();
    }
    expect((await get(`/v1/proposals/${NOWHERE}`)).status).toBe(404);
  });

  it('is harmless and visible in a SKILL.md, its index, the repository and its commits', async () => {
    const { artifact } = await app.admin.skills.show(skill);
    const file = await get(`/.well-known/agent-skills/${skill}/SKILL.md`);
    expect([file.text, file.headers.get('content-type')]).toEqual([artifact, 'text/markdown; charset=utf-8']);
    isGuarded('SKILL.md', file);
    const git = (...args: string[]) => execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8' });
    const files = git('ls-tree', '-r', '--name-only', 'main').trim().split('\n');
    expect(files.length).toBeGreaterThan(ALL.length);
    for (const path of files) {
      expect(path).toMatch(/^[A-Za-z0-9._/-]+$/);
      const text = git('show', `main:${path}`);
      expect([path, text.split('\n').find((line) => escapeInvisible(line) !== line)]).toEqual([path, undefined]);
      if (path.endsWith('SKILL.md')) expect([path, /[<>]|\]\(/.exec(text)?.[0]]).toEqual([path, undefined]);
    }
    const log = git('log', '--format=%an %ae%n%B', 'main');
    expect(log).not.toMatch(/alert|evil|X-Forged/);
    expect(escapeInvisible(log)).toBe(log);
  });

  it('is plain text in a webhook: signed JSON without hidden characters or injected headers', async () => {
    const delivering = app.app.get(WebhookDeliveryWorker);
    for (let n = 0; n < ALL.length * 2; n += 1) {
      delivering.wake();
      await delivering.idle();
    }
    const titles = receiver.messages.map(({ body }) => String(JSON.parse(body).data.title));
    expect(titles.length).toBeGreaterThanOrEqual(ALL.length * 2);
    for (const title of titles) expect(escapeInvisible(title)).toBe(title);
    for (const { headers } of receiver.messages) {
      expect(Object.keys(headers)).not.toContain('x-forged');
      expect(JSON.stringify(headers)).not.toMatch(/alert|evil/);
    }
  });

  it('never reaches a terminal unescaped, neither in a table nor in a text', () => {
    for (const text of ALL) {
      for (const shown of [escapeInvisible(text), oneLine(text), table(['title'], [[text]])])
        expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      expect(
        table(['title'], [[text]])
          .trimEnd()
          .split('\n'),
      ).toHaveLength(2);
    }
  });

  it('is not in the API documentation, which is the same for every caller', async () => {
    for (const path of ['/v1/docs', '/v1/openapi.json']) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect([path, /alert\(1\)|evil\.example/.exec(answer.text)]).toEqual([path, null]);
    }
  });
});

const failing = (text: string) => ({ tool: 'shell', action: text, errorClass: 'NotFound', example: text });
