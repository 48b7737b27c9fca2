import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generalise } from './generalise.js';
import { withoutBareHosts } from './named-hosts.js';

describe('a text for a model', () => {
  it.each([
    ['the query of a URL', 'curl "https://shop.example.com/a?user=ann&x=1"', 'curl "[url]"'],
    [
      'the query of a local address',
      'localhost:3000/orders?user=ann&x=true',
      'localhost:3000/orders?user=[value]&x=true',
    ],
    ['the query of a relative address', 'GET orders?customer=ann failed', 'GET orders?customer=[value] failed'],
    ['a URL as JSON spells it', 'http:\\/\\/shop.example.com\\/a?b=c', '[url]'],
    ['a home folder as JSON spells it', '"cwd":"\\/home\\/ann\\/x"', '"cwd":"[path]"'],
    ['a home folder as a URL spells it', 'path=%2Fhome%2Fann%2Fx', 'path=[path]'],
    ['an e-mail address as a URL spells it', 'to=ann%40example.com', 'to=[email]'],
    ['a host after its flag', 'psql -h db1.acme.shop -U app', 'psql -h [host] -U app'],
    ['a user at a host', 'ssh -p 22 ann@build7 ls', 'ssh -p 22 [email] ls'],
    ['a host that was not resolved', 'Could not resolve host: db.acme.shop', 'Could not resolve host: [host]'],
    ['a host in JSON', '{"host": "db.acme.shop", "port": 5432}', '{"host": "[host]", "port": 5432}'],
    ['a host of a private network', 'ping db.acme.svc.cluster', 'ping [host]'],
    ['a host with a number', 'timeout from build-3.corp.example', 'timeout from [host]'],
    ['a host of a rare domain', 'Connection to db-7.prod.acme.systems refused', 'Connection to [host] refused'],
    ['a host in an address without a scheme', 'src="//build-3.corp.example/x"', 'src="//[host]/x"'],
    ['the same with a port', 'GET //db-7.acme.systems:5432/x', 'GET //[host]:5432/x'],
    ['the same as JSON spells it', '"\\/\\/db-7.acme.systems\\/x"', '"//[url]"'],
    ['the same in JSON inside JSON', '"\\\\\\/\\\\\\/db-7.acme.systems\\\\\\/x"', '"//[url]"'],
    ['a host with ideographic full stops', 'ping build-3。corp．example｡', 'ping [host].'],
    ['a host as a URL spells its dots', 'to=build-3%2Ecorp%252eexample', 'to=[host]'],
    ['a host as a pattern spells its dots', "grep 'build-3[.]corp[.]example' a", "grep '[host]' a"],
    ['an IPv4 address in hexadecimal', 'to 0x0a.0x14.0x1e.0x28', 'to [host]'],
    ['an IPv4 address as a number', 'GET //169090600/x //0xa141e28:80/x', 'GET //[host]/x //[host]:80/x'],
    ['a person after a name', 'assign --owner ann and user=ben', 'assign --owner [user] and user=[user]'],
    ['a login of two parts', 'assign --assignee ann.lee', 'assign --assignee [user]'],
    ['an author of git', 'Author: Ann Lee <ann@acme.example>', 'Author: [user] <[email]>'],
    ['a person in JSON inside JSON', '{\\"owner\\":\\"Ann Lee\\"}', '{\\"owner\\":\\"[user]\\"}'],
    ['a person under a key in one word', '"createdBy": "Guest Miller"', '"createdBy": "[user]"'],
    ['a login of a database', 'psql -U ann shop', 'psql -U [user] shop'],
    ['a login over SSH', 'ssh -l ann db1', 'ssh -l [user] db1'],
    ['a person in JSON', '{"customer_name": "Ann Lee"}', '{"customer_name": "[user]"}'],
    ['a person in quotation marks', "git commit --author 'Ann Lee <ann@acme.example>'", "git commit --author '[user]'"],
  ])('replaces %s', (_what, text, expected) => {
    expect(generalise(text)).toBe(expected);
  });

  it.each([
    'npm test NODE_ENV=test and nvm use 18',
    'apt-get install mysql-server=8.0.36, docker pull vaultwarden/server:1.30.1, SQL Server 15.0.2000',
    'objdump -h a.out, readelf -h libx.so, sort -h sizes.dat, ls -h build.log',
    "grep -E 'colou?r=.*' a.css, node -e 'x=ok?a=1:0', curl localhost:9200/_cat/indices?v=true",
    'ng new x --package-manager=pnpm, --http-client=curl, filter(owner=owner), login(user=request.user)',
    "sed 's/a\\/b/c/' x and grep -c %2f a.txt",
    'user=root owner=None author=Author(x) pip install --user requests, login: failed, user=self.user',
    'psql -h localhost -p 5432 and connect to 127.0.0.1:80',
    'foo.bar(), //foo.bar(x), // 20240102 by hand, //20240102 by hand, //src/main:all, a//b.c, x = 169090600 / 2',
    '完成。下一步。, /[.]/, a[.]b, 0x0a141e28, version 1.02.3.4',
    'a ? b=c : d, order?.total = 3, x?y:z',
    'java -h Main.java, help -h main.py, ls -h dir, server.js, serverless.a.b',
    'psql -h <host> -U app, ssh <host>, --host=[host], mysql -h $HOST',
    '[REDACTED:jwt], [path]/a.py, <image tag>',
  ])('keeps: %s', (text) => {
    expect(generalise(text)).toBe(text);
  });

  it.each([
    ['after a flag', 'psql -U app -h db1 shop', 'psql -U app -h <host> shop'],
    ['in a long flag', 'redis-cli --host cache2 ping', 'redis-cli --host <host> ping'],
    ['in a variable', 'PGHOST=db1 npm test', 'PGHOST=<host> npm test'],
    ['in JSON', '{"host": "db1"}', '{"host": "<host>"}'],
    ['of this machine', 'psql -h localhost --host=127.0.0.1', 'psql -h localhost --host=127.0.0.1'],
  ])('a model does not see a host without a domain %s', (_what, text, expected) => {
    expect(generalise(text)).toBe(text);
    expect(withoutBareHosts(text)).toBe(expected);
  });

  it('replaces a spelled home behind a run of any length', () => {
    const run = 'a'.repeat(3_990);
    for (const home of ['%2Fhome%2Fann%2Fx', '%252Fhome%252Fann%252Fx', '&#47;home&#47;ann&#47;x'])
      expect(generalise(`${run}:${home}`)).not.toContain('ann');
  });

  it('has no canary, whichever field it comes from and however it is spelled', () => {
    const canary = fc.stringMatching(/^canary[a-z]{6,10}$/);
    const text = fc.constantFrom<(name: string) => string>(
      (name) => `https://${name}.example.com/a?b=c`,
      (name) => `https://example.com/a?token=${name}&b=c`,
      (name) => `http://localhost:3000/a?user=${name}`,
      (name) => `localhost:3000/a?x=1&user=${name}#b`,
      (name) => `orders?user=${name}`,
      (name) => `https:\\/\\/example.com\\/${name}?x=${name}`,
      (name) => `/home/${name}/job`,
      (name) => `/Users/${name}/job/a.py`,
      (name) => `C:\\Users\\${name}\\a.txt`,
      (name) => `C:\\\\Users\\\\${name}\\\\a.txt`,
      (name) => `\\/home\\/${name}\\/x`,
      (name) => `%2Fhome%2f${name}%2Fx`,
      (name) => `~${name}/notes`,
      (name) => `${name}@example.com`,
      (name) => `ann%40${name}.example.com`,
      (name) => `${name}.prod.internal:5432`,
      (name) => `host=${name}.acme.shop`,
      (name) => `--host ${name}.acme.shop`,
      (name) => `ssh ${name}.acme.shop`,
      (name) => `ssh ${name}@build7`,
    );
    const frame = fc.constantFrom<(value: string) => string>(
      (value) => value,
      (value) => `see ${value} now`,
      (value) => `"${value}"`,
      (value) => `{"value":"${value}"}`,
      (value) => `fatal: unable to read '${value}': no`,
      (value) => `- ${value},\n- ${value}`,
      (value) => `(${value})`,
      (value) => `--to ${value} && npm test`,
    );
    fc.assert(
      fc.property(canary, text, frame, (name, write, put) => {
        expect(generalise(put(write(name)))).not.toContain(name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays as it is when it is read again', () => {
    const piece = fc.constantFrom(
      ...['https:', '\\/\\/', '/', '?', 'a=b', '&', '%2F', '%40', 'home', 'ann', '.shop', '.example', 'host', '=', ' '],
      ...['-h ', ':', '"', '[url]', '[path]', '[REDACTED:jwt]', '.', '3000', '\n'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const once = generalise(pieces.join(''));
        expect(generalise(once)).toBe(once);
      }),
      { numRuns: 5_000, examples: [[['3000', '.example', '/', 'home', '\\/\\/']]] },
    );
  });
});
