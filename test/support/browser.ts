import type { TestApplication } from './application.js';

/** The headers of a browser for requests from our own pages. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const;
export const FOREIGN_PAGE = { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' } as const;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Posts the form of the sign-in page. */
export function postSignIn(
  app: TestApplication,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = OWN_PAGE,
): Promise<Response> {
  const body = new URLSearchParams(form).toString();
  return fetch(`${app.url}/sign-in`, { method: 'POST', headers: { ...FORM, ...headers }, body });
}

/** The cookies that a response sets, in the form of a request header. */
export const cookiesOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

/** Signs in with a one-time token. Returns the session cookie. */
export async function openSession(app: TestApplication, token: string): Promise<string> {
  const answer = await postSignIn(app, { token });
  if (answer.status !== 200) throw new Error(`no session: ${await answer.text()}`);
  return cookiesOf(answer).split('; ')[0] ?? '';
}
