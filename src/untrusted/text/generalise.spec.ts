import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generalise, generaliseDeep } from './generalise.js';

describe('generalise', () => {
  it.each([
    ['a URL', 'see https://acme.example.com/a?b=c#d.', 'see [url].'],
    ['a URL in brackets', '(http://10.0.0.8:8080/x)', '([url])'],
    ['a URL to an IPv6 address', 'GET http://[fd00::12]:80/x', 'GET [url]'],
    ['a URL with a redacted login', 'git clone https://ann:[REDACTED:url-login]@git.corp/a.git', 'git clone [url]'],
    ['a database URL', 'postgres://db.internal/main', '[url]'],
    ['a URL without its scheme', 'on github.com/acme/hidden-project/pull/3', 'on [url]'],
    ['a repository over SSH', 'git@github.com:acme/hidden.git', '[url]'],
    ['an e-mail address', 'ask ann.lee+x@example.co.uk, or', 'ask [email], or'],
    ['a shell prompt', 'ann@build-7:~/job$ ls', '[email]:[path] ls'],
    ['the target of a copy', 'rsync a ann@h1:/srv/data', 'rsync a [email]:[path]'],
    ['a host', 'db01.prod.internal:5432 refused', '[host]:5432 refused'],
    ['a public host', 'could not resolve api.example.com.', 'could not resolve [host].'],
    ['an IPv4 address', 'from 10.1.2.3/24', 'from [host]/24'],
    ['an IPv6 address', 'from fe80::1ff:fe23:4567:890a', 'from [host]'],
    ['a Unix path', 'cd /srv/acme/current', 'cd [path]'],
    ['a file', 'File "/srv/acme/app/models.py", line 3', 'File "[path]/models.py", line 3'],
    ['a file with line and column', '/srv/acme/main.rs:12:3: error', '[path]/main.rs:12:3: error'],
    ['a file at the end of a sentence', 'edit /srv/acme/main.rs.', 'edit [path]/main.rs.'],
    ['a program', '/opt/acme/venv/bin/python3 -m x', '[path]/python3 -m x'],
    ['a file in a home', 'cat ~/notes/todo.md', 'cat [path]/todo.md'],
    ['a home without the name', 'cat /home/[user]/notes/todo.md', 'cat [path]/todo.md'],
    ['a Windows home without the name', 'C:\\Users\\[user]\\src\\main.cs', '[path]/main.cs'],
    ['a home in a variable', 'cat $HOME/.config/a.json', 'cat [path]/a.json'],
    ['a path in JSON inside JSON', '"out\\n/home/ann/x.py"', '"out\\n[path]/x.py"'],
    [
      'paths after flags',
      'gcc -I/usr/include -L/srv/lib --prefix=/srv/x',
      'gcc -I/usr/include -L[path] --prefix=[path]',
    ],
    ['a search path', 'PATH=/usr/local/go/bin:/srv/x/bin:$PATH', 'PATH=/usr/local/go/bin:[path]:$PATH'],
    ['a redirected file', 'sort </srv/in.txt >/srv/out.txt', 'sort <[path]/in.txt >[path]/out.txt'],
    ['a Windows path', 'C:\\Users\\ann\\src\\main.cs(3)', '[path]/main.cs(3)'],
    ['a Windows path with doubled backslashes', '"C:\\\\Users\\\\ann\\\\main.cs"', '"[path]/main.cs"'],
    ['a Windows path with slashes', 'D:/job/acme/main.cs', '[path]/main.cs'],
    ['a Windows path with blanks', 'C:\\Program Files (x86)\\Acme\\run.exe', '[path]/run.exe'],
    ['a network share', '\\\\srv01\\share\\docs\\a.docx', '[path]/a.docx'],
    [
      'a project folder as agents name it',
      'projects/-home-ann-acme',
      'projects/-home-ann-acme'.replace(/-home.*/, '[path]'),
    ],
  ])('removes %s', (_, text, expected) => {
    expect(generalise(text)).toBe(expected);
  });

  it.each([
    'run pytest tests/unit/test_a.py, ./scripts/x.sh and ../b/c.ts',
    'cmd >/dev/null 2>&1; cd /tmp',
    'README.md, setup.py, Node.js, os.path.join, console.log, self.app, logging.info, e.g. this',
    'react@18.2.0 and pkg@1.0.0-rc.next and @nestjs/core',
    'version 1.2.3, v1.2.3.4, chrome/120.0.6099.109',
    'localhost:3000 and 127.0.0.1:8080 and 0.0.0.0',
    'x[::2], std::vector, a::b, 12:34:56',
    'and/or, 1/2, </div>, <br/>, // comment, s/foo/bar/g',
    'for d in x:\\nprint(d)',
    'socket.io.connect(port) with java.io.File',
    '[path]/name.py:12, [url], [email], [host], [REDACTED:jwt]',
  ])('removes nothing from: %s', (text) => {
    expect(generalise(text)).toBe(text);
  });

  it.each([
    '/home/jdoe/jdoe.py',
    '/Users/jdoe/job/jdoe-notes.txt',
    'C:\\Users\\jdoe\\x.txt and D:\\data\\jdoe.csv',
    'C:\\Users\\Ann jdoe\\x\\y.txt',
    '/mnt/c/Users/Ann jdoe/x/y.txt',
    '~jdoe/x.txt',
    '/var/log/jdoe.log of /home/jdoe',
    '/home/j.doe/x and jdoe@build-7:~/x',
    '%ROOT%/home/jdoe/x, {root}/home/jdoe/x, [REDACTED:jwt]/home/jdoe/x',
    `/srv/${'deep/'.repeat(2_000)}home/jdoe/x.py`,
  ])('removes the owner of a home folder from: %.60s', (text) => {
    expect(generalise(text)).not.toContain('jdoe');
  });

  it('the owner of a home folder in one field is removed from every field', () => {
    const lesson = { condition: 'in /home/jdoe', steps: ['open /srv/jdoe.py', 'open /srv/app.py'], confidence: 0.5 };
    expect(generaliseDeep(lesson)).toEqual({
      condition: 'in [path]',
      steps: ['open [path]', 'open [path]/app.py'],
      confidence: 0.5,
    });
  });

  it('a user name common to all machines is no person: the file keeps its name', () => {
    expect(generalise('/home/user/user.py and /root/app.py')).toBe('[path]/user.py and [path]/app.py');
  });

  it('removes every home folder and address, wherever they stand among words', () => {
    const user = fc.stringMatching(/^[a-z]{6,12}q$/);
    const before = fc.constantFrom(
      '',
      'cat ',
      '"',
      "'",
      '(',
      '=',
      ':',
      ',',
      '--x=',
      '<',
      '>',
      '`',
      '\n',
      '\\n',
      '-I',
      '[',
    );
    const home = fc.constantFrom('/home/', '/Users/', 'C:\\Users\\', 'c:/Users/', '/mnt/c/Users/', '~');
    const after = fc.constantFrom('', '/a/b.py', '/', ' rest', '/x y', '/a"b', '\\a.txt', '/.ssh/id', '/ü/é.md');
    fc.assert(
      fc.property(user, before, home, after, (name, left, root, right) => {
        fc.pre(root !== '~' || right.startsWith('/'));
        expect(generalise(`see ${left}${root}${name}${right}`)).not.toContain(name);
        expect(generalise(`see ${left}${name}@${name}.example.com${right.replace('/', ' ')}`)).not.toContain(name);
        expect(generalise(`see ${left === '-I' ? '' : left}https://${name}.example.com${right}`)).not.toContain(name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is idempotent for texts composed of the patterns it matches', () => {
    const pieces = fc.constantFrom(
      ...[
        '/',
        '\\',
        ':',
        '://',
        '@',
        '.',
        ' ',
        '-',
        '"',
        '<',
        '>',
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        '$',
        '~',
        '=',
        '\n',
        '%',
        '*',
      ],
      ...[
        '/home/ann',
        '/Users/',
        'C:',
        'http',
        'www.',
        'example',
        '.com',
        '.py',
        'bin',
        '10.0',
        '.1.2',
        'fe80:',
        ':1',
        'ann',
        'é',
      ],
      ...['[path]', '[url]', '[REDACTED:jwt]', '/tmp', '/dev/null', '$HOME', '\\n', '-I', '-home-'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), (list) => {
        const once = generalise(list.join(''));
        expect(generalise(once)).toBe(once);
      }),
      { numRuns: 10_000 },
    );
  });

  it('a marker of the redactor stays', () => {
    expect(generalise('/srv/[REDACTED:jwt]/x.py and [REDACTED:password]')).toBe(
      '[path][REDACTED:jwt]/x.py and [REDACTED:password]',
    );
  });
});
