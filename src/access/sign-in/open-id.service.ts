import { Inject, Injectable, Logger } from '@nestjs/common';
import * as client from 'openid-client';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';

export const CALLBACK_PATH = '/sign-in/oidc/callback';
const TIMEOUT_SECONDS = 10;

/** What the browser stores while it is at the provider: only this browser can finish the sign-in that it began. */
interface AuthorizationFlow {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/**
 * A person's account at the provider. The address may pass to another person; the id (SHA-256 of issuer and subject)
 * never does.
 */
export interface Account {
  readonly id: string;
  readonly email: string;
}

interface Settings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly publicUrl: string;
}

/** Sign-in at the organisation's identity provider: OpenID Connect, authorization code with PKCE, state and nonce. */
@Injectable()
export class OpenId {
  private readonly logger = new Logger(OpenId.name);
  private readonly settings: Settings | undefined;
  private discovered: Promise<client.Configuration> | undefined;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly ids: Ids,
  ) {
    const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, publicUrl } = config;
    if (issuer && clientId && clientSecret && publicUrl) this.settings = { issuer, clientId, clientSecret, publicUrl };
  }

  get isOn(): boolean {
    return this.settings !== undefined;
  }

  /** Returns the provider's URL for the browser, and the text to store in a cookie until the browser returns. */
  async begin(): Promise<{ url: string; flow: string }> {
    const settings = this.requireSettings();
    const configuration = await this.configuration(settings);
    const flow: AuthorizationFlow = {
      state: this.ids.secret(24),
      nonce: this.ids.secret(24),
      codeVerifier: this.ids.secret(48),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: settings.publicUrl + CALLBACK_PATH,
      scope: 'openid email',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, flow: [flow.state, flow.nonce, flow.codeVerifier].join('.') };
  }

  /**
   * Returns the account of the person who came back; the provider has verified its address. `path` is the path of the
   * request with its query.
   */
  async finish(path: string, flow: string | undefined): Promise<Account> {
    const settings = this.requireSettings();
    const [state, nonce, codeVerifier] = (flow ?? '').split('.');
    if (!state || !nonce || !codeVerifier) throw refused('This sign-in was started in another browser or has expired.');
    const configuration = await this.configuration(settings);
    const claims = await this.claims(configuration, new URL(path, settings.publicUrl), { state, nonce, codeVerifier });
    if (typeof claims.email !== 'string' || claims.email_verified !== true)
      throw new DomainError(
        'forbidden',
        'access.oidc_unverified',
        'The identity provider did not return a verified e-mail address.',
      );
    return { email: claims.email, id: sha256(`${settings.issuer}\0${claims.sub}`) };
  }

  private async claims(
    configuration: client.Configuration,
    url: URL,
    { state, nonce, codeVerifier }: AuthorizationFlow,
  ) {
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('no ID token');
      // Many providers return the address only from the userinfo endpoint.
      return claims['email'] === undefined
        ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : { sub: claims.sub, email: claims['email'], email_verified: claims['email_verified'] };
    } catch (error) {
      this.warn(error);
      if (isNoResponse(error)) throw unavailable();
      throw refused('The identity provider did not confirm this sign-in.');
    }
  }

  /**
   * Loads the provider's configuration at the first sign-in, and again until it succeeds, so that an unavailable
   * provider never delays the start of the server.
   */
  private configuration(settings: Settings): Promise<client.Configuration> {
    this.discovered ??= discover(settings).catch((error: unknown) => {
      this.discovered = undefined;
      this.warn(error);
      throw unavailable();
    });
    return this.discovered;
  }

  private requireSettings(): Settings {
    if (this.settings) return this.settings;
    throw new DomainError('not_found', 'access.oidc_off', 'Single sign-on is not configured on this server.');
  }

  private warn(error: unknown): void {
    const text = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
    this.logger.warn(`identity provider: ${redact(text).text.slice(0, 500)}`);
  }
}

function discover({ issuer, clientId, clientSecret }: Settings): Promise<client.Configuration> {
  // Checks the signature of the ID token, not only its origin.
  const execute = [client.enableNonRepudiationChecks];
  if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
  const authentication = client.ClientSecretBasic(clientSecret);
  return client.discovery(new URL(issuer), clientId, undefined, authentication, { execute, timeout: TIMEOUT_SECONDS });
}

/** True if no response arrived: fetch failed or timed out. All other errors of the library are about a response. */
function isNoResponse(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === 'OAUTH_TIMEOUT') return true;
  if ('message' in error && error.message === 'fetch failed') return true;
  return 'cause' in error && isNoResponse(error.cause);
}

const refused = (why: string) =>
  new DomainError('unauthenticated', 'access.oidc_refused', `${why} Start again at /sign-in.`);
const unavailable = () =>
  new DomainError(
    'unavailable',
    'access.oidc_unavailable',
    'The identity provider is not responding. Try again later.',
  );
