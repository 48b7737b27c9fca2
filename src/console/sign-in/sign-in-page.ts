import type { Page } from '../frame/pages.view.js';

export interface SignInOptions {
  /** The token of the opened link. */
  readonly token?: string;
  /** This browser has signed in before and can do so again without a link. */
  readonly again: boolean;
  readonly openId: boolean;
  /** The path to open after the sign-in. */
  readonly to: string;
  /** Why the last attempt failed. */
  readonly problem?: { readonly status: number; readonly says: string; readonly code: string };
}

/** Opening a link does not sign in, because mail scanners open links: the person presses the button. */
export function signInPage({ token, again, openId, to, problem }: SignInOptions): Page {
  const byItself = token === undefined && again;
  const oidc = token === undefined && openId ? encodeURIComponent(to) : null;
  return {
    template: 'sign-in',
    title: 'Sign in',
    isBare: true,
    status: problem?.status ?? 200,
    view: {
      to,
      token: token ?? null,
      byItself,
      oidc,
      problem: problem ?? null,
      isAlone: token === undefined && !byItself && oidc === null,
      command: 'guildbook login --browser',
    },
  };
}

/** Opens `to` by a refresh: a redirect would come from the provider's site, and so without our cookies. */
export function signedInPage(name: string, until: string, to?: string): Page {
  return {
    template: 'signed-in',
    title: 'Sign in',
    isBare: true,
    view: { says: `${name} is signed in until ${until}.`, to: to ?? '/' },
    ...(to === undefined ? {} : { refresh: `0; url=${to}` }),
  };
}
