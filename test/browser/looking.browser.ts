import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type Chromium, DESK, invitation, openChromium, PHONE, signInWith } from '../support/chromium.js';
import { reportPythonFleet } from '../support/fleet.js';
import { submitted } from '../support/submission.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MARKUP = '"><script>window.hit=1</script><img src=x onerror=window.hit=1><svg/onload=window.hit=1>{{title}}';
const LETTERS = 'pаyload ｓｕｄｏ \u202egnp.exe\u202c a\u200bb —force';

/** The rules of accessibility that this page breaks, with where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<{ id: string; nodes: { target: string[] }[] }[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

describe('every screen in a browser', () => {
  let app: TestApplication;
  let browser: Chromium;
  let screens: string[];

  beforeAll(async () => {
    app = await startTestApplication();
    await reportPythonFleet(app, ['alpha', 'beta', 'gamma']);
    const live = await submitted(app, 'a live skill');
    await app.admin.approvals.approve(live.id, live.artifactSha256);
    await app.settled();
    const [entry] = await app.database.client.memory.findMany({ where: { skillName: live.skillName } });
    const { id } = await submitted(
      app,
      `hostile ${MARKUP}`,
      { kind: 'supersede', supersedesId: entry?.id ?? null },
      { rationale: `${MARKUP} ${LETTERS}`, steps: [MARKUP, LETTERS], gotchas: [LETTERS] },
      { failing: { tool: MARKUP, action: MARKUP, errorClass: LETTERS, example: `${MARKUP}${LETTERS}` } },
    );
    const { items } = await app.admin.executions.list({ limit: 1 });
    const cycle = await app.admin.evolver.run(true);
    screens = [
      ...['/', '/?q=nothing', `/review/${id}`, `/review/${live.id}`, `/review/${id}/edit`, '/review/none'],
      ...SCREENS.map((path) =>
        path
          .replace(':execution', items[0]?.id ?? '')
          .replace(':skill', live.skillName)
          .replace(':cycle', cycle.id),
      ),
    ];
    browser = await openChromium(app);
    await signInWith(
      browser,
      await invitation(app, `Vera <Viewer>`.replace(/[<>]/g, ''), { reviewer: true, admin: true }),
    );
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  it.each([
    ['light', DESK],
    ['dark', DESK],
    ['light', PHONE],
    ['dark', PHONE],
  ] as const)('breaks no rule of accessibility and is no wider than its window: %s, %o', async (theme, size) => {
    const { page } = browser;
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ ...size });
    const broken: Record<string, readonly string[]> = {};
    for (const screen of ['/sign-in', ...screens]) {
      await page.goto(screen);
      const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      const found = [...(await violations(page)), ...(wide ? ['wider than the window'] : [])];
      if (found.length > 0) broken[screen] = found;
    }
    expect(broken).toEqual({});
  });

  it('runs nothing of what others wrote, and shows what hides in it', async () => {
    const { page } = browser;
    for (const screen of screens) {
      await page.goto(screen);
      expect([screen, await page.evaluate('window.hit')]).toEqual([screen, undefined]);
      expect(await page.locator('main').innerHTML()).not.toMatch(/<(?:script|img)\b|\u202e|\u200b/);
    }
    await page.goto(screens[2] ?? '');
    expect(await page.locator('mark').count()).toBeGreaterThan(3);
    expect(browser.complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([]);
  });

  it('shows a proposal and the decision at once on a desk: the page itself does not scroll', async () => {
    const { page } = browser;
    await page.setViewportSize({ ...DESK });
    await page.goto(screens[3] ?? '');
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    for (const text of ['Evidence', 'If it is approved', 'As agents will read it'])
      expect(await page.getByRole('heading', { name: text }).isVisible()).toBe(true);
  });

  it('is at most 60 KB with everything, on every screen', async () => {
    const { context } = browser;
    for (const screen of screens) {
      const page = await context.newPage();
      let bytes = 0;
      page.on('response', async (answer) => {
        bytes += (await answer.body().catch(() => Buffer.alloc(0))).length;
      });
      await page.goto(screen, { waitUntil: 'networkidle' });
      await page.close();
      expect([screen, bytes > 1_000 && bytes <= 60_000, bytes]).toEqual([screen, true, bytes]);
    }
  });

  it('can be walked with the keyboard alone: every link, button and field is reached, and shows it', async () => {
    const { page } = browser;
    await page.goto('/');
    const wanted = await page.evaluate<number>(
      "[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')].filter((it) => it.checkVisibility() && !it.closest('dialog')).length",
    );
    const reached = new Set<string>();
    for (let presses = 0; presses < wanted + 2; presses += 1) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate<string>("[...document.querySelectorAll('*')].indexOf(document.activeElement) + ''"),
      );
    }
    reached.delete('-1');
    expect(reached.size).toBeGreaterThanOrEqual(wanted);
  });
});

/** The screens beside the queue and its items. */
const SCREENS: readonly string[] = [
  ...['/skills', '/skills?q=none', '/skills/:skill', '/fleet', '/executions/:execution'],
  ...['/cycles', '/cycles/:cycle', '/journal', '/journal?verify=1'],
];
