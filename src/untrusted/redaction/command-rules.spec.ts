import { describe, expect, it } from '@jest/globals';
import { redact } from './redact.js';

const PASSWORD = 'Harbor+42lantern';

describe('a password that only its place gives away', () => {
  it.each([
    ['behind the option of any program', 'shipctl deploy -u ann -p § --now'],
    ['behind the option of a program of its own', 'ipmitool -I lanplus -H db -U ann -P § power status'],
    ['as each argument of a command', 'snmpget -v3 -u ann -A § -X § db'],
    ['for a device', 'username ann privilege 15 secret 0 §'],
    ['in what creates a secret', 'aws ssm put-parameter --name /db/password --value § --type SecureString'],
    ['through a pipe into a store of secrets', 'echo -n "§" | gcloud secrets create db --data-file=-'],
    ['in a here string', 'secret-tool store --label=shop user ann <<< "§"'],
    ['in a login', 'stats auth ann:§'],
    ['with its scheme', 'ann:{PLAIN}§:1000:1000::/home/mail'],
    ['among the arguments of what logs in', 'smtp.PlainAuth("", "ann", "§", "db.example.com")'],
    ['in a line of ppp', '# client server secret addresses\nann * § *'],
    ['in a line of ppp that Windows ends', 'ann l2tpd § *\r\nben l2tpd - *'],
    ['in a line of ppp with a comment', 'ann l2tpd § * # the ferry'],
    ['in a line of ppp before another text', 'ann l2tpd § *; port 1701'],
    ['as an array of letters', 'store.load(file, "§".toCharArray())'],
    ['typed into a form', "await page.fill('#password', '§')"],
    ['in the row of a table', '| user | password |\n|---|---|\n| ann | § |'],
    ['in a row of SQL', "INSERT INTO users (name, password) VALUES ('ann', '§')"],
    ['as the default of a variable', 'variable "db_password" {\n  default = "§"\n}'],
    ['between tags', '<Password><Value>§</Value><PlainText>true</PlainText></Password>'],
    ['under a short name', '{"user":"ann","pw":"§"}'],
  ])('is removed %s', (_, text) => {
    expect(redact(text.replaceAll('§', PASSWORD)).text).not.toContain(PASSWORD);
  });

  it.each([
    'docker run -p 8080:80 -w /srv nginx:1.27',
    'mkdir -p build/Output2 && cargo run -p guildbook-core2',
    'ssh-keygen -t ed25519 -N "" -f k',
    'aws ssm put-parameter --name /db/host --value db.example.com --type String',
    'tests/__init__.py:59 lib/python3/version.py:345',
    "INSERT INTO users (name, role) VALUES ('ann', 'Reader2')",
    '| field | type |\n|---|---|\n| password | string |',
    'connect(url="t3://db.example.com:7001")',
    '0 3 * * * /usr/bin/backup',
  ])('is not seen in %j', (text) => {
    expect(redact(text).text).toBe(text);
  });
});
