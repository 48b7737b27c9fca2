import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { type ActiveSpan, inSpan, traceHeaders } from '../platform/telemetry/spans.js';
import { redact } from '../untrusted/redaction/redact.js';
import { clip } from '../untrusted/text/clip.js';
import { addressProblem, hostOf, ipProblem } from './webhook-address.js';
import { webhookHeaders } from './webhook-signature.js';

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_LENGTH = 1_024;
const ANSWER_LENGTH = 200;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** A message to a receiver: a delivery, or entries of the journal. */
interface Message {
  readonly url: string;
  readonly secret: string;
  /** The same for every attempt. */
  readonly id: string;
  readonly body: string;
}

export interface Attempt {
  readonly isAccepted: boolean;
  readonly status: number | null;
  /** Redacted, then clipped. */
  readonly answer: string;
}

/** The response; without a status, no response came or nothing was sent. */
interface WebhookResponse {
  readonly status?: number;
  readonly text: string;
}

/**
 * Posts to addresses that a person typed in, which may point into the private network. The name is resolved once, every
 * address is checked, and the connection goes to a checked address: a name that resolves to another address a moment
 * later (DNS rebinding) changes nothing. A redirect is not followed and counts as a response.
 */
@Injectable()
export class WebhookSender {
  protected readonly timeoutMs: number = TIMEOUT_MS;

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'webhooksAllowPrivate'>) {}

  /** Makes one attempt, signed. */
  async send({ url, secret, id, body }: Message, at: Date): Promise<Attempt> {
    const { status = null, text } = await this.post(url, webhookHeaders(secret, id, at, body), body);
    return { isAccepted: status !== null && status >= 200 && status < 300, status, answer: shownAnswer(text) };
  }

  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<WebhookResponse> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const problem = addressProblem(url, this.config.webhooksAllowPrivate);
      if (problem !== undefined) return { text: `not sent: the address ${problem}` };
      const address = new URL(url);
      const addresses = await Promise.race([this.addresses(address), aborted(signal)]);
      for (const { address: ip } of addresses) {
        const ipProblemText = ipProblem(ip, address.protocol, this.config.webhooksAllowPrivate);
        if (ipProblemText !== undefined) return { text: `not sent: the name ${ipProblemText}` };
      }
      return await traced((trace) => exchange(address, { headers: { ...headers, ...trace }, body, addresses, signal }));
    } catch (error) {
      if (signal.aborted) return { text: `no response within ${this.timeoutMs / 1_000} s` };
      return { text: error instanceof Error ? error.message || error.name : String(error) };
    }
  }

  /** Resolves a name to all of its addresses. */
  protected resolve(host: string): Promise<readonly ResolvedAddress[]> {
    return lookup(host, { all: true });
  }

  private async addresses(address: URL): Promise<readonly ResolvedAddress[]> {
    const host = hostOf(address);
    const family = isIP(host);
    return family === 0 ? this.resolve(host) : [{ address: host, family }];
  }
}

/** The beginning of an answer, as people may see it. */
export const shownAnswer = (text: string): string => clip(redact(text).text, ANSWER_LENGTH);

/** Sends a message in a span that the receiver can continue. */
function traced(send: (trace: Readonly<Record<string, string>>) => Promise<WebhookResponse>): Promise<WebhookResponse> {
  const work = async (span: ActiveSpan | undefined) => {
    const response = await send(traceHeaders());
    if (response.status !== undefined) span?.set({ 'http.response.status_code': response.status });
    return response;
  };
  return inSpan('webhook message', {}, work, 'client');
}

interface ExchangeOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly addresses: readonly ResolvedAddress[];
  readonly signal: AbortSignal;
}

function exchange(address: URL, { headers, body, addresses, signal }: ExchangeOptions): Promise<WebhookResponse> {
  const [first] = addresses;
  if (first === undefined) throw new Error('the name has no address');
  const pinned: LookupFunction = (_host, options, done) =>
    options.all ? done(null, [...addresses]) : done(null, first.address, first.family);
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Guildbook', connection: 'close' },
      agent: false,
      lookup: pinned,
      signal,
    } as const;
    const request = (address.protocol === 'https:' ? https : http).request(address, options, (response) => {
      const status = response.statusCode ?? 0;
      let text = '';
      const end = () => {
        resolve({ status, text: text.slice(0, MAX_RESPONSE_LENGTH) });
        response.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length >= MAX_RESPONSE_LENGTH) end();
      });
      // The status decides, even if reading the rest of the response fails.
      response.on('end', end).on('error', end);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('too slow')), { once: true });
  });
}
