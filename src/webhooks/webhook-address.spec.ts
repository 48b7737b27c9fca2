import { describe, expect, it } from '@jest/globals';
import { HOSTILE, PUBLIC, RESOLVES_INSIDE } from '../../test/support/webhook-addresses.js';
import { addressProblem, ipProblem } from './webhook-address.js';

describe('the address of a webhook', () => {
  it.each(PUBLIC)('may be %s', (address) => {
    expect(addressProblem(address, false)).toBeUndefined();
  });

  it.each(HOSTILE)('may not be %s', (address) => {
    expect(addressProblem(address, false)).toEqual(expect.any(String));
  });

  it.each(HOSTILE.filter((address) => !RESOLVES_INSIDE.includes(address)))(
    'may not be %s with https either, before any name is resolved',
    (address) => {
      expect(addressProblem(address.replace(/^\w+:/, 'https:'), false)).toEqual(expect.any(String));
    },
  );

  it.each([
    ['https://user:secret@example.com/', 'must hold no user name and no password'],
    ['https://example.com:5432/', 'must use port 443 or 8443'],
    ['https://example.com/#x', 'must hold no fragment'],
    ['ftp://example.com/', 'must begin with https:'],
    ['not an address', 'is not an address'],
    [`https://example.com/${'x'.repeat(2_000)}`, 'is not an address'],
    ['https://build.corp/', 'is a name of the local network'],
  ])('is refused with a reason: %s', (address, reason) => {
    expect(addressProblem(address, false)).toBe(reason);
  });

  it('may be private if the server allows it, and plain http on this machine only', () => {
    const allowed = (address: string) => addressProblem(address, true) === undefined;
    expect(['http://127.0.0.1:8080/x', 'http://[::1]:1/', 'https://10.0.0.7/', 'http://localhost:3000/'].map(allowed)) //
      .toEqual([true, true, true, true]);
    expect(['http://10.0.0.7/', 'https://169.254.169.254/', 'http://8.8.8.8/', 'https://0.0.0.0/'].map(allowed)) //
      .toEqual([false, false, false, false]);
  });
});

describe('the IP address of a webhook', () => {
  const inside = (ip: string) => ipProblem(ip, 'https:', false) !== undefined;

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '2a00:1450:4001::200e'])('may be %s', (ip) => {
    expect(inside(ip)).toBe(false);
  });

  it.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.255.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
    ...['169.254.169.254', '100.64.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.8', '192.0.2.7', '192.88.99.1'],
    ...['198.18.0.1', '198.51.100.7', '203.0.113.7', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1'],
    ...['2002:7f00:1::', '2001::1', '2001:db8::1', '100::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0'],
    ...['fec0::1', 'ff02::1', '3fff::1', '5f00::1', '4000::1'],
  ])('may not be %s', (ip) => {
    expect(inside(ip)).toBe(true);
  });
});
