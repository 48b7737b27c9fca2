import { describe, expect, it } from '@jest/globals';
import { isAddress, isHostName } from './hosts.js';

describe('isHostName', () => {
  it.each([
    'example.com',
    'db01.prod.internal',
    'ann-laptop.local',
    'shop.example.app',
    'EXAMPLE.ORG',
    'build-3.acme.systems',
    'db-7.zone',
    'vault.acme.engineering',
    'db7.acme.sh',
    'api.acme.tv',
    'nas.ann.home',
  ])('%s is', (name) => {
    expect(isHostName(name)).toBe(true);
  });

  it.each([
    'main.py',
    'user-list.md',
    'cli-logger.js.map',
    'torch.utils.data',
    'Order.Delivery.Tax',
    'order.tax',
    'self.weather.studio',
    'user-list.component.spec',
    'README.md',
    'os.path',
    'self.app',
    'logging.info',
    'self.request.app',
    'a_b.com',
    '1.2.3',
    'com',
    'a..com',
    '-a.com',
  ])('%s is not', (name) => {
    expect(isHostName(name)).toBe(false);
  });
});

describe('isAddress', () => {
  it.each(['10.0.0.1', '8.8.8.8', 'fe80::1ff:fe23', '2001:db8::1'])('%s belongs to another machine', (text) => {
    expect(isAddress(text)).toBe(true);
  });

  it.each(['127.0.0.1', '0.0.0.0', '255.255.255.0', '::1', '::2', 'a::b', '12:34:56', '1.2.3', '300.1.1.1'])(
    '%s is not',
    (text) => {
      expect(isAddress(text)).toBe(false);
    },
  );
});
