import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HOSTILE, PUBLIC } from '../../test/support/webhook-addresses.js';
import { type Receiver, startReceiver } from '../../test/support/webhook-receiver.js';
import { type ResolvedAddress, WebhookSender } from './webhook-sender.service.js';

const LOOPBACK: readonly ResolvedAddress[] = [{ address: '127.0.0.1', family: 4 }];

/** Names resolve to the given answers, one after the other. */
class Scripted extends WebhookSender {
  readonly asked: string[] = [];
  protected override readonly timeoutMs: number;

  constructor(
    webhooksAllowPrivate: boolean,
    private readonly answers: readonly (readonly ResolvedAddress[])[],
    timeoutMs = 60_000,
  ) {
    super({ webhooksAllowPrivate });
    this.timeoutMs = timeoutMs;
  }

  protected override async resolve(host: string): Promise<readonly ResolvedAddress[]> {
    this.asked.push(host);
    return this.answers[this.asked.length - 1] ?? [];
  }
}

describe('sending a webhook', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const post = (sender: WebhookSender, url: string) => sender.post(url, { 'webhook-id': 'x' }, '{"a":1}');

  it.each(HOSTILE)(
    'does not connect to %s, with its own scheme, with https, or at the port of a server',
    async (address) => {
      for (const url of [address, address.replace(/^\w+:/, 'https:'), `http://127.0.0.1:${receiver.port}/`])
        expect(await post(new Scripted(false, [LOOPBACK]), url)).toEqual({
          text: expect.stringMatching(/^not sent: /),
        });
      expect(receiver.messages).toEqual([]);
    },
  );

  it.each(PUBLIC)('resolves %s once, and sends nothing if one of its addresses is private', async (address) => {
    const sender = new Scripted(false, [[{ address: '93.184.215.14', family: 4 }, ...LOOPBACK]]);
    const answer = await post(sender, address);
    const isLiteral = /\d+\.\d+|\[/.test(address);
    if (!isLiteral) expect(answer).toEqual({ text: 'not sent: the name leads to an address that is not public' });
    expect(sender.asked).toEqual(isLiteral ? [] : [new URL(address).hostname]);
  });

  it('connects to the address that it checked, even if the name resolves to another one a moment later', async () => {
    const elsewhere: readonly ResolvedAddress[] = [{ address: '127.0.0.2', family: 4 }];
    const sender = new Scripted(true, [LOOPBACK, elsewhere, elsewhere]);
    expect(await post(sender, `http://hooks.example.org:${receiver.port}/here`)).toEqual({ status: 204, text: '' });
    expect(sender.asked).toEqual(['hooks.example.org']);
    expect(receiver.messages).toEqual([
      expect.objectContaining({
        path: '/here',
        body: '{"a":1}',
        headers: expect.objectContaining({
          host: `hooks.example.org:${receiver.port}`,
          'content-type': 'application/json',
          'webhook-id': 'x',
        }),
      }),
    ]);
  });

  it('follows no redirect', async () => {
    receiver.answer = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end('moved');
    expect(await post(new Scripted(true, []), receiver.url)).toEqual({ status: 302, text: 'moved' });
    expect(receiver.messages.map(({ path }) => path)).toEqual(['/hook']);
  });

  it('reads at most a kilobyte of an endless response', async () => {
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      const more = (): unknown => !response.destroyed && response.write('x'.repeat(600), () => setImmediate(more));
      more();
    };
    const { status, text } = await post(new Scripted(true, []), receiver.url);
    expect([status, text.length]).toEqual([200, 1_024]);
  });

  it('gives up on a receiver that does not respond, and on a name that does not resolve', async () => {
    receiver.answer = () => undefined;
    expect(await post(new Scripted(true, [], 300), receiver.url)).toEqual({ text: 'no response within 0.3 s' });
    class Stuck extends Scripted {
      protected override resolve(): Promise<never> {
        return new Promise(() => undefined);
      }
    }
    expect(await post(new Stuck(true, [], 300), 'https://hooks.example.org/')).toEqual({
      text: 'no response within 0.3 s',
    });
    expect(await post(new Scripted(true, [[]]), 'https://hooks.example.org/')).toEqual({
      text: 'the name has no address',
    });
  });

  it('reports the error if no server listens', async () => {
    const { url } = receiver;
    await receiver.close();
    expect(await post(new Scripted(true, []), url)).toEqual({ text: expect.stringContaining('ECONNREFUSED') });
    receiver = await startReceiver();
  });
});
