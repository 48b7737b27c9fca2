import type { TestApplication } from './application.js';
import { cookiesOf, OWN_PAGE, postSignIn } from './browser.js';

/** A browser without JavaScript: keeps cookies, follows redirects and sends forms. */
export class Console {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly app: TestApplication) {}

  /** Registers a person and signs them in with their invitation. */
  static async signedIn(app: TestApplication, name: string, roles: { reviewer?: boolean; admin?: boolean }) {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.org`;
    const { token, principal } = await app.admin.people.add({ name, email, reviewer: false, admin: false, ...roles });
    const page = new Console(app);
    await page.signIn(token);
    return Object.assign(page, { id: principal.id });
  }

  async signIn(token: string): Promise<void> {
    const answer = await postSignIn(this.app, { token });
    await answer.text();
    this.keep(answer);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    return this.send(path, { headers: { ...OWN_PAGE, ...headers } });
  }

  /** Sends a form without following the redirect. */
  post(
    path: string,
    form: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PageAnswer> {
    return this.send(path, {
      method: 'POST',
      body: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...OWN_PAGE, ...headers },
    });
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  forget(name: string): void {
    this.cookies.delete(name);
  }

  private async send(path: string, init: RequestInit): Promise<PageAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) };
    const answer = await fetch(this.app.url + path, { ...init, headers, redirect: 'manual' });
    this.keep(answer);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, to: answer.headers.get('location') };
  }

  private keep(answer: Response): void {
    for (const pair of cookiesOf(answer).split('; ')) {
      const [, name, value] = pair.match(/^([^=]+)=(.*)$/) ?? [];
      if (name && value) this.cookies.set(name, value);
      else if (name) this.cookies.delete(name);
    }
  }
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly to: string | null;
}

/** The hidden fields of the page's form with this action, as a browser would send them. */
export function formOf({ text }: PageAnswer, action: string): Record<string, string> {
  const form = text.match(new RegExp(`<form[^>]*action="${action}"[^>]*>([\\s\\S]*?)</form>`))?.[1];
  if (form === undefined) throw new Error(`the page has no form for ${action}`);
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name, decoded(value ?? '')]));
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#x27': "'",
  '#x3D': '=',
  '#x60': '`',
};

/** Decodes HTML entities. */
export const decoded = (html: string): string =>
  html.replace(/&([#\w]+);/g, (all, name: string) => ENTITIES[name] ?? all);

/** The text of the first file on a review page as a reader sees it: without tags, entities decoded. */
export function shownFile({ text }: PageAnswer): string {
  const code = text.match(/<pre class="code"[^>]*><code>([\s\S]*?)<\/code><\/pre>/)?.[1] ?? '';
  return decoded(code.replace(/<[^>]*>/g, ''));
}
