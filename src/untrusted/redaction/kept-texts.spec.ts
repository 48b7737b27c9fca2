import { describe, expect, it } from '@jest/globals';
import { AGENT_NAMES, ID_PLACES, IDS, TALK_ABOUT_SECRETS, VERSIONS } from '../../../test/support/kept-texts.js';
import { generalise } from '../text/generalise.js';
import { redact } from './redact.js';

const keeps = (text: string): void => expect(redact(text)).toEqual({ text, redactions: [] });

describe('redaction leaves alone', () => {
  it.each(IDS)('%s in any sentence', (_, id) => {
    for (const place of ID_PLACES) keeps(place.replace('{}', id));
  });

  it('but not an identifier directly after the name of a secret', () => {
    for (const [, id] of IDS.filter(([name]) => /UUID$|trace id|nanoid/.test(name)))
      for (const place of ['api_key={}', 'the token is {}', '"secret": "{}"', 'x-api-key: {}', 'password {}'])
        expect(redact(place.replace('{}', id)).text).not.toContain(id);
  });

  it.each(AGENT_NAMES)('the agent name %s', keeps);

  it.each(VERSIONS)('the version %s, which generalising also keeps', (version) => {
    for (const text of [version, `npm install ${version} --save`, `"${version}"`]) {
      keeps(text);
      expect(generalise(text)).toBe(text);
    }
  });

  it.each(TALK_ABOUT_SECRETS)('%s', keeps);
});

describe('generalise', () => {
  it('keeps the version of a module on a host, and not the host', () => {
    expect(generalise('go install example.org/team/tool@v0.15.3')).toBe('go install [url]@v0.15.3');
    expect(generalise('docker pull r.example.com/team/app@sha256:'.concat('ab12'.repeat(16), '.'))).toBe(
      `docker pull [url]@sha256:${'ab12'.repeat(16)}.`,
    );
    expect(generalise('scp r.example.com/team/ann@10.2.3.4')).toBe('scp [url][host]');
    expect(generalise('mail ann@example.com or ann@1and1.example.com')).toBe('mail [email] or [email]');
    expect(generalise('git clone git@forge.example:team/tool.git')).toBe('git clone [url]');
  });
});
