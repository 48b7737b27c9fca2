import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { testBrowser } from '../../src/platform/config/environment.js';
import type { TestApplication } from './application.js';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type Theme = 'light' | 'dark';

export interface Size {
  readonly width: number;
  readonly height: number;
}
export const DESKTOP: Size = { width: 1440, height: 900 };
export const PHONE: Size = { width: 390, height: 844 };

/** A browser with a temporary profile folder, which is removed with it. */
export interface Chromium {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Script errors and policy violations of the pages. Tests expect none. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export async function openChromium(
  app: TestApplication,
  { size = DESKTOP, theme = 'light', script = true }: { size?: Size; theme?: Theme; script?: boolean } = {},
): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), 'guildbook-browser-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: testBrowser(),
    headless: true,
    args: FLAGS,
    baseURL: app.url,
    viewport: { ...size },
    colorScheme: theme,
    javaScriptEnabled: script,
  });
  context.setDefaultTimeout(15_000);
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return {
    context,
    page,
    complaints,
    close: async () => {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Opens an invitation link and presses the button, as a person would. */
export async function signInWith({ page }: Pick<Chromium, 'page'>, token: string, to = ''): Promise<void> {
  await page.goto(`/sign-in?token=${token}${to === '' ? '' : `&to=${encodeURIComponent(to)}`}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor();
}

/** Registers a person. Returns the token of the invitation. */
export async function invitation(
  app: TestApplication,
  name: string,
  roles: { reviewer?: boolean; admin?: boolean },
): Promise<string> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.org`;
  return (await app.admin.people.add({ name, email, reviewer: false, admin: false, ...roles })).token;
}
