import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page, Response } from 'playwright-core';
import type { TestApplication } from '../support/application.js';
import { BINDING, checkedEvidence, DOSSIER, PREDICATE } from '../support/checked-proposal.js';
import { type Chromium, DESKTOP, invitation, openChromium, PHONE, signInWith } from '../support/chromium.js';
import { pythonReport, reportPythonFleet } from '../support/fleet.js';
import { submitTestProposal } from '../support/proposal-input.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MARKUP = '"><script>window.hit=1</script><img src=x onerror=window.hit=1><svg/onload=window.hit=1>{{title}}';
const LETTERS = 'pаyload ｓｕｄｏ \u202egnp.exe\u202c a\u200bb —force';

const ALL_RULES = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } };
/** For a second theme, which only changes colours. */
const COLOUR_RULES = { resultTypes: ['violations'], runOnly: ['color-contrast', 'link-in-text-block'] };

/** The accessibility rules that this page violates, with the elements. */
async function violations(page: Page, rules: object = ALL_RULES): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<{ id: string; nodes: { target: string[] }[] }[]>(
    `axe.run(document, ${JSON.stringify(rules)}).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

/** Checks that are stricter than those of axe: a title, a language, one main heading, and legible text. */
function lacking(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const small = [...document.querySelectorAll('body *')].filter((it) => it.checkVisibility()
      && [...it.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')
      && parseFloat(getComputedStyle(it).fontSize) < 11);
    return [
      ...(document.title.trim() === '' ? ['no title'] : []),
      ...(document.documentElement.lang === 'en' ? [] : ['no language']),
      ...(document.querySelectorAll('h1').length === 1 ? [] : ['not one h1']),
      ...small.slice(0, 3).map((it) => 'text that is too small: ' + it.outerHTML.slice(0, 80)),
    ];
  })()`);
}

/** Every screen in both themes, on a desktop and on a phone, with hostile text wherever foreign text can appear. */
export function looking(running: () => TestApplication): void {
  let app: TestApplication;
  let browser: Chromium;
  let screens: string[];
  let checked: string;

  beforeAll(async () => {
    app = running();
    await reportPythonFleet(app, ['alpha', 'beta', 'gamma']);
    const live = await submitTestProposal(app, 'a live skill');
    await app.admin.proposals.approve(live.id, live.artifactSha256);
    await app.settled();
    const [entry] = await app.database.client.memory.findMany({ where: { skillName: live.skillName } });
    const over = await submitTestProposal(app, 'a retired skill');
    await app.admin.proposals.approve(over.id, over.artifactSha256);
    await app.admin.retireSkill(over.id, `${MARKUP} ${LETTERS}`);
    await app.admin.webhooks.add({ url: 'https://hooks.example.org/x', events: ['proposal.expired'] });
    await app.admin.auditStreams.add({ url: 'https://audit.example.org/x', from: 'beginning' });
    const { id } = await submitTestProposal(
      app,
      `hostile ${MARKUP}`,
      { kind: 'supersede', supersedesId: entry?.id ?? null },
      {
        rationale: `${MARKUP} ${LETTERS}`,
        steps: [MARKUP, LETTERS],
        gotchas: [LETTERS],
        binding: { harness: MARKUP, project: LETTERS },
        predicate: { when: { args: MARKUP } },
      },
      {
        ...checkedEvidence('observed'),
        pairs: [
          {
            executionId: '00000000-0000-4000-8000-000000000009',
            failedAt: 0,
            workedAt: 1,
            failed: { tool: 'shell', call: MARKUP },
            error: LETTERS,
            between: [],
            worked: { tool: 'sql', call: LETTERS },
          },
        ],
        failing: { tool: MARKUP, action: MARKUP, errorClass: LETTERS, example: `${MARKUP}${LETTERS}` },
        dossier: {
          ...DOSSIER,
          signature: MARKUP,
          harnesses: [{ name: LETTERS, n: 1 }],
        },
      },
    );
    const words = { predicate: PREDICATE, binding: BINDING };
    checked = (await submitTestProposal(app, 'a checked lesson', {}, words, checkedEvidence('confirmed'))).id;
    const rival = await submitTestProposal(
      app,
      `rival ${MARKUP}`,
      { kind: 'conflict', contradicts: [id] },
      { action: LETTERS },
    );
    const bot = await app.admin.agents.add({ name: BOT, department: 'ｓudo', owner: 'a-b' });
    const toolCalls = [
      { name: MARKUP, action: `${MARKUP} ${LETTERS}`, ok: false, errorMessage: `${MARKUP}${LETTERS}` },
    ];
    const hostile = {
      ...pythonReport(app, 'hostile'),
      taskTitle: `${MARKUP} ${LETTERS}`,
      taskDescription: LETTERS,
      toolCalls,
    };
    await app.client(bot.token).executions.report(hostile);
    await app.settled();
    const { items } = await app.admin.executions.list({ limit: 1 });
    const [lesson] = (await app.admin.lessons({ limit: 1 })).items;
    const cycle = await app.admin.evolver.run(true);
    const consolidated = await app.admin.consolidation.run({ dryRun: true });
    const merge = await proposedMerge(app);
    screens = [
      ...[
        '/',
        '/?q=nothing',
        `/review/${id}`,
        `/review/${rival.id}`,
        `/review/${live.id}`,
        `/review/${checked}`,
        `/review/${merge}`,
        `/review/${id}/edit`,
        '/review/none',
      ],
      ...SCREENS.map((path) =>
        path
          .replace(':execution', items[0]?.id ?? '')
          .replace(':skill', live.skillName)
          .replace(':over', over.skillName)
          .replace(':memory', lesson?.id ?? 'none')
          .replace(':cycle', cycle.id)
          .replace(':run', consolidated.items[0]?.id ?? 'none'),
      ),
    ];
    browser = await openChromium(app);
    await signInWith(
      browser,
      await invitation(app, `Vera <Viewer>`.replace(/[<>]/g, ''), { reviewer: true, admin: true }),
    );
  });
  afterAll(() => browser.close());

  it.each([
    ['light', DESKTOP],
    ['dark', DESKTOP],
    // A theme changes no size and a size no colour, so three combinations suffice.
    ['light', PHONE],
  ] as const)('breaks no rule of accessibility and is no wider than its window: %s, %o', async (theme, size) => {
    const { page } = browser;
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ ...size });
    const broken: Record<string, readonly string[]> = {};
    for (const screen of ['/sign-in', DEAD_LINK, ...screens]) {
      await page.goto(screen);
      if (screen === DEAD_LINK) {
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').waitFor();
      }
      const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      const found = [
        ...(await violations(page, theme === 'dark' ? COLOUR_RULES : ALL_RULES)),
        ...(wide ? ['wider than the window'] : []),
      ];
      found.push(...(await lacking(page)));
      if (found.length > 0) broken[screen] = found;
    }
    expect(broken).toEqual({});
  });

  it('executes no foreign text, reveals its hidden characters, and needs at most 60 KB, on every screen', async () => {
    const { page } = browser;
    for (const screen of screens) {
      const bodies: Promise<number>[] = [];
      const heard = (answer: Response) =>
        bodies.push(
          answer.body().then(
            ({ length }) => length,
            () => 0,
          ),
        );
      page.on('response', heard);
      await page.goto(screen);
      const bytes = (await Promise.all(bodies)).reduce((sum, length) => sum + length, 0);
      page.off('response', heard);
      expect([screen, bytes > 20_000 && bytes <= 60_000, bytes]).toEqual([screen, true, bytes]);
      expect([screen, await page.evaluate('window.hit')]).toEqual([screen, undefined]);
      expect(await page.locator('main').innerHTML()).not.toMatch(/<(?:script|img)\b|\u202e|\u200b/);
    }
    await page.goto(screens[2] ?? '');
    expect(await page.locator('mark').count()).toBeGreaterThan(3);
    expect(browser.complaints.filter((text) => !/status of 40[014]/.test(text))).toEqual([]);
  });

  it('shows a proposal and its decision on a desktop without scrolling the page', async () => {
    const { page } = browser;
    await page.setViewportSize({ ...DESKTOP });
    await page.goto(screens[3] ?? '');
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    for (const text of ['Figures', 'Effect of an approval', 'Proposed file'])
      expect(await page.getByRole('heading', { name: text }).isVisible()).toBe(true);
  });

  it('shows a checked proposal whole, and opens its folded evidence without a script', async () => {
    const still = await openChromium(app, { script: false });
    await signInWith(still, await invitation(app, 'Stella Still', { reviewer: true }));
    const { page } = still;
    await page.goto(`/review/${checked}`);
    const box = (selector: string) => page.locator(selector).first().boundingBox();
    const [right, decide] = [await box('.right'), await box('.decide')];
    expect((right?.y ?? 0) + (right?.height ?? 0)).toBeLessThanOrEqual((decide?.y ?? 0) + 1);
    expect(await page.getByText('With it 33 of 47 worked, without it 1 of 12').isVisible()).toBe(true);
    const more = page.getByText('What counts as following it');
    expect(await more.isVisible()).toBe(false);
    for (const summary of await page.locator('.folded summary').all()) await summary.click();
    expect(await more.isVisible()).toBe(true);
    await still.close();
    await browser.page.goto(`/review/${checked}`);
    await browser.page.evaluate("document.querySelectorAll('details.folded').forEach((it) => { it.open = true; })");
    expect(await violations(browser.page)).toEqual([]);
  });

  it('reaches every link, button and field with the Tab key in page order, with a visible focus', async () => {
    const { page } = browser;
    await page.setViewportSize({ ...DESKTOP });
    const lost: Record<string, readonly string[]> = {};
    const deciding = ['/', screens[2] ?? '', `${screens[2]}/edit`];
    const looking = screens.filter((screen) =>
      /^\/(?:skills\/[^/]+|fleet|journal|start|settings(?:\/webhooks)?)$/.test(screen),
    );
    expect(looking.length).toBeGreaterThan(5);
    for (const screen of [...deciding, ...looking]) {
      await page.goto(screen);
      const wanted = new Map(await page.evaluate<[number, string][]>(REACHABLE));
      const walked: number[] = [];
      const found: string[] = [];
      // Scrolling elements receive the focus as well.
      for (let left = wanted.size + 12; left > 0 && [...wanted.keys()].some((at) => !walked.includes(at)); left -= 1) {
        await page.keyboard.press('Tab');
        const { at, html, isSeen } = await page.evaluate<{ at: number; html: string; isSeen: boolean }>(FOCUSED);
        if (!isSeen) found.push(`does not show: ${html}`);
        if (at < (walked.at(-1) ?? 0)) found.push(`out of order: ${html}`);
        walked.push(at);
      }
      for (const [at, html] of wanted) if (!walked.includes(at)) found.push(`not reached: ${html}`);
      if (found.length > 0) lost[screen] = found;
    }
    expect(lost).toEqual({});
  });
}

/** The focusable elements: the position of each in the document, and the beginning of its HTML. */
const REACHABLE = `(() => {
  const all = [...document.querySelectorAll('*')];
  const wanted = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';
  return all.flatMap((it, at) => it.matches(wanted) && it.checkVisibility() && !it.closest('dialog')
    && !it.closest('details:not([open]) > :not(summary)') ? [[at, it.outerHTML.slice(0, 90)]] : []);
})()`;
const FOCUSED = `(() => {
  const it = document.activeElement;
  const style = getComputedStyle(it);
  return { at: [...document.querySelectorAll('*')].indexOf(it), html: it.outerHTML.slice(0, 90),
    isSeen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 };
})()`;

/** A proposal to merge two live skills that say the same. */
async function proposedMerge(app: TestApplication): Promise<string> {
  for (const title of ['one of two', 'two of two']) {
    const same = { fingerprints: ['a common family'] };
    const { id, artifactSha256 } = await submitTestProposal(app, title, same, {
      condition: 'The short name has just failed.',
      predicate: PREDICATE,
    });
    await app.admin.proposals.approve(id, artifactSha256);
  }
  const { merges } = await app.admin.mergeSkills(false);
  const { proposalId } = merges.find(({ retire }) => retire.title.endsWith('of two')) ?? {};
  if (!proposalId) throw new Error('no merge was proposed');
  return proposalId;
}

/** A link whose token is invalid. */
const DEAD_LINK = `/sign-in?token=gbo_${'A'.repeat(43)}`;

/** Contains a Cyrillic letter that looks like an a. */
const BOT = 'pаyload bot';

/** The screens other than the queue and the reviews. */
const SCREENS: readonly string[] = [
  ...['/skills', '/skills?q=none', '/skills/:skill', '/skills/:skill/versions/1', '/fleet', '/executions/:execution'],
  ...['/skills?ended=1', '/skills/:over', '/settings/webhooks', '/settings/audit'],
  ...['/start', '/start/arrived', '/settings', '/settings?q=none', '/settings/agents', '/settings/services'],
  ...['/settings/server', '/memories', '/memories/:memory'],
  ...['/consolidation', '/consolidation?nothing=1', '/consolidation/:run'],
  ...['/recall', `/recall?agent=${encodeURIComponent(BOT)}&q=script&retrieval=hybrid`, '/recall?agent=unknown&q=x'],
  ...['/cycles', '/cycles/:cycle', '/journal', '/journal?verify=1'],
];
