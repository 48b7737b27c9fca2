import { describe, expect, it } from '@jest/globals';
import { webhookHeaders, webhookSecret } from './webhook-signature.js';

describe('the signature of a webhook', () => {
  it('matches the worked example of Standard Webhooks', () => {
    const at = new Date(1_614_265_330_999);
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    expect(webhookHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', id, at, '{"test": 2432232314}')).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('has a secret with the prefix of Standard Webhooks', () => {
    expect(webhookSecret(Buffer.alloc(32, 7))).toBe(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
  });
});
