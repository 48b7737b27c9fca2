import { describe, expect, it } from '@jest/globals';
import { ServerCard, serverCard } from './server-card.js';

const card = (publicUrl?: string) => serverCard('1.2.3', publicUrl, ['2025-11-25']);

describe('the server card', () => {
  it('names the public address, the domain name in reverse, and the credential without a value', () => {
    expect(card('https://guildbook.example.org:8443')).toMatchObject({
      name: 'org.example.guildbook/guildbook',
      version: '1.2.3',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://guildbook.example.org:8443/mcp',
          headers: [{ name: 'Authorization', isRequired: true, isSecret: true }],
          supportedProtocolVersions: ['2026-07-28', '2025-11-25'],
        },
      ],
    });
  });

  it('has a variable in place of an address that is not public', () => {
    const { name, remotes } = card();

    expect(name).toBe('localhost/guildbook');
    expect(remotes).toMatchObject([{ url: '{origin}/mcp', variables: { origin: { isRequired: true } } }]);
  });

  it.each([undefined, 'https://guildbook.example.org', 'http://192.0.2.7:4747', 'http://[2001:db8::1]'])(
    'has the form that the proposal requires, at %s',
    (publicUrl) => {
      expect(() => ServerCard.parse(card(publicUrl))).not.toThrow();
      expect(card(publicUrl).remotes[0]?.url).toMatch(/^(https?:\/\/[^\s]+|\{[a-zA-Z_][a-zA-Z0-9_]*\}[^\s]*)$/);
    },
  );
});
