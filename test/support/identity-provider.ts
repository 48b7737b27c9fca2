import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Configuration, Provider } from 'oidc-provider';

export interface Account {
  /** The account; by default one for each address. */
  readonly subject?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

export interface ProviderOptions {
  /** The port; 0 selects a free one. */
  readonly port?: number;
  /** Whether the ID token contains the address. Otherwise the userinfo endpoint has it. */
  readonly emailInIdToken?: boolean;
}

const CLIENT = { client_id: 'guildbook', client_secret: 'a-secret-of-a-test' };

/** A real OpenID Connect provider on this machine, which signs `account` in without interaction. */
export class IdentityProvider {
  account: Account = {};
  /** Whether it declines the consent of the person. */
  denies = false;
  private handler: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async () => {};

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  /** Starts a provider for the server at this address. */
  static async start(publicUrl: string, { port = 0, emailInIdToken = false }: ProviderOptions = {}) {
    const server = createServer((request, response) => void provider.handler(request, response));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const provider: IdentityProvider = new IdentityProvider(server, issuer);
    provider.serve(publicUrl, emailInIdToken);
    return provider;
  }

  static settings(issuer: string, publicUrl: string): Record<string, string> {
    return {
      GUILDBOOK_OIDC_ISSUER: issuer,
      GUILDBOOK_OIDC_CLIENT_ID: CLIENT.client_id,
      GUILDBOOK_OIDC_CLIENT_SECRET: CLIENT.client_secret,
      GUILDBOOK_PUBLIC_URL: publicUrl,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(publicUrl: string, emailInIdToken: boolean): void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const configuration: Configuration = {
      clients: [{ ...CLIENT, redirect_uris: [`${publicUrl}/sign-in/oidc/callback`] }],
      cookies: { keys: [randomBytes(16).toString('hex')] },
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: !emailInIdToken,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...this.claims() }) }),
    };
    const provider = new Provider(this.issuer, configuration);
    const answer = provider.callback();
    this.handler = async (request, response) => {
      if (request.url?.startsWith('/interaction/')) await this.interact(provider, request, response);
      else await answer(request, response);
    };
  }

  private claims() {
    const { subject: _its, ...claims } = this.account;
    return claims;
  }

  private async interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params } = await provider.interactionDetails(request, response);
    const accountId = this.account.subject ?? `subject-of-${this.account.email?.toLowerCase() ?? 'unknown'}`;
    if (this.denies) return provider.interactionFinished(request, response, { error: 'access_denied' });
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId } });
    const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope('openid email');
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }
}

/** A minimal browser for the sign-in: keeps cookies by origin and follows redirects itself. */
export class TestBrowser {
  private readonly cookies = new Map<string, Map<string, string>>();

  /** Follows redirects up to `stop` or the first other response. */
  async open(address: string, stop?: RegExp): Promise<{ url: string; answer?: Response }> {
    let url = address;
    for (let step = 0; step < 15; step += 1) {
      if (stop?.test(url)) return { url };
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie: this.cookie(url) } });
      this.keep(url, answer);
      const next = answer.headers.get('location');
      if (next === null) return { url, answer };
      url = new URL(next, url).href;
    }
    throw new Error(`too many redirects, the last to ${url}`);
  }

  /** The cookies for a request to this address. */
  cookie(url: string): string {
    return [...this.of(url)].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Changes the stored cookies, as the user of the browser could. */
  tamper(url: string, name: string, change: (value: string) => string): void {
    const own = this.of(url);
    own.set(name, change(own.get(name) ?? ''));
  }

  private keep(url: string, answer: Response): void {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const isOver = /;\s*max-age=0(;|$)/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line);
      if (isOver) this.of(url).delete(pair.slice(0, at));
      else this.of(url).set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  private of(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const own = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, own);
    return own;
  }
}
