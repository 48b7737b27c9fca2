import { describe, expect, it } from '@jest/globals';
import { generalisePath, homeOwners, isDriveInProse } from './paths.js';

describe('homeOwners', () => {
  it('returns the owner of each home folder once, in lower case', () => {
    const text = '/home/ann/x, /Users/Ben, C:\\Users\\ann\\y, "C:\\\\Users\\\\cleo", ~dora/z, /mnt/c/Users/Ben/x';
    expect(homeOwners(text)).toEqual(['ann', 'ben', 'cleo', 'dora']);
  });

  it('omits accounts that many machines share', () => {
    expect(homeOwners('/home/ubuntu/x /home/user/y C:\\Users\\Public ~/z')).toEqual([]);
  });
});

describe('generalisePath', () => {
  it.each([
    ['/srv/app/main.py', '[path]/main.py'],
    ['/usr/bin/git', '/usr/bin/git'],
    ['/usr/local/bin/node', '/usr/local/bin/node'],
    ['/usr/local/go/bin', '/usr/local/go/bin'],
    ['/usr/lib/python3/dist-packages/', '/usr/lib/python3/dist-packages/'],
    ['/opt/homebrew/bin', '/opt/homebrew/bin'],
    ['/etc/hosts', '/etc/hosts'],
    ['/var/log', '/var/log'],
    ['/etc/nginx/sites-available/acme', '[path]'],
    ['/opt/acme/shop/config.yml', '[path]/config.yml'],
    ['/usr/src/shop', '[path]'],
    ['/usr/local/src/shop', '[path]'],
    ['/var/www', '[path]'],
    ['/var/lib/jenkins/workspace/shop', '[path]'],
    ['/usr/local/Hannah/bin', '[path]'],
    ['/usr/local/db7.acme.systems/bin', '[path]'],
    ['/usr/share/a/b/c/d', '[path]'],
    ['/home/cleo/bin', '[path]'],
    ['/workspace/shop', '[path]'],
    ['/srv/tools/bin/check', '[path]/check'],
    ['/srv/app/', '[path]'],
    ['/srv/.env', '[path]'],
    ['/srv/v1.2', '[path]'],
    ['/dev/null', '/dev/null'],
    ['/tmp', '/tmp'],
    ['/tmp/x', '[path]'],
    ['/srv/ann.py', '[path]'],
    ['/srv/Hannah.py', '[path]'],
  ])('%s becomes %s', (path, expected) => {
    expect(generalisePath(path, ['ann'])).toBe(expected);
  });
});

describe('isDriveInProse', () => {
  it('a colon or an escaped line break is no drive; a drive with folders is one', () => {
    expect(['x:\\nprint', 'A:\\nDo', 'C:\\temp'].map(isDriveInProse)).toEqual([true, true, true]);
    expect(['C:\\Users\\ann', 'c:\\a\\b', 'C:\\x.txt', 'D:\\work'].map(isDriveInProse)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
