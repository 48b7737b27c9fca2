import type { Place } from './secret-places.js';

/**
 * Places that the rules were not written for: written down as a list before any of them was measured, in the notation of
 * `secret-places.ts`.
 */
export const SIBLINGS: readonly Place[] = [
  [
    'jenkins credentials file',
    [
      '<username>@u</username>\n<password>{¶}</password>',
      '<hudson.plugins.git><secret>§a</secret></hudson.plugins.git>',
    ],
    ['<credentialsId>deploy-key</credentialsId>'],
  ],
  [
    'sbt credentials',
    ['credentials += Credentials("Sonatype Nexus", "@h", "@u", "§")', 'realm=Nexus\nhost=@h\nuser=@u\npassword=§'],
    ['credentials += Credentials(Path.userHome / ".sbt" / ".credentials")'],
  ],
  [
    'leiningen',
    [':repositories [["r" {:url "https://@h" :username "@u" :password "§"}]]', '{:user {:auth {:password "§"}}}'],
    [':repositories [["r" {:url "https://@h" :username :env :password :env}]]'],
  ],
  [
    'actions mask',
    ['echo "::add-mask::§"', 'echo "::set-output name=token::§a"'],
    ['echo "::add-mask::$TOKEN"', 'echo "::group::Install dependencies"'],
  ],
  [
    'git credential input',
    ["printf 'protocol=https\\nhost=@h\\nusername=@u\\npassword=§\\n' | git credential approve"],
    ["printf 'protocol=https\\nhost=@h\\n' | git credential fill"],
  ],
  ['svn simple auth', ['K 8\npassword\nV 14\n§\nK 15\nsvn:realmstring'], ['K 8\nusername\nV 6\nledger\nEND']],
  [
    'filezilla',
    ['<User>@u</User><Pass encoding="base64">¶</Pass>', '<User>@u</User>\n<Pass>§</Pass>'],
    ['<User>@u</User><Logontype>1</Logontype>'],
  ],
  [
    'putty',
    ['plink -batch -pw § @u@@h uptime', 'pscp -pw § a.txt @u@@h:/tmp', 'winscp /command "open sftp://@u:§@@h/"'],
    ['plink -batch -i key.ppk @u@@h uptime'],
  ],
  [
    'cisco',
    ['username @u privilege 15 secret §', 'username @u password 0 §', 'enable secret 0 §', 'enable password §'],
    ['username @u privilege 15', 'service password-encryption'],
  ],
  [
    'snmp',
    [
      'snmp-server community § RO',
      'rocommunity § 10.0.0.0/8',
      'snmpwalk -v2c -c § @h system',
      'snmpget -v3 -u @u -A § -X § @h',
    ],
    ['snmp-server contact ops', 'snmpwalk -v2c @h system'],
  ],
  [
    'radius',
    ['client shop {\n  ipaddr = 10.0.0.1\n  secret = §\n}', 'radtest @u § @h 0 testing'],
    ['client shop {\n  ipaddr = 10.0.0.1\n}'],
  ],
  [
    'openvpn inline',
    ['<auth-user-pass>\n@u\n§\n</auth-user-pass>'],
    ['auth-user-pass /etc/openvpn/login.conf', 'auth-nocache'],
  ],
  [
    'wireguard',
    ['[Interface]\nPrivateKey = §w\nAddress = 10.0.0.2/24', '[Peer]\nPresharedKey = §w'],
    ['[Interface]\nAddress = 10.0.0.2/24\nListenPort = 51820'],
  ],
  ['ipsec secrets', ['@h : PSK "§"', '@u : EAP "§"', '@u : XAUTH "§"'], [': RSA server.key.pem', 'authby=secret']],
  ['ppp secrets', ['# client server secret addresses\n@u * § *', '"@u" l2tpd "§" *'], ['require-chap\nrefuse-pap']],
  [
    'kerberos',
    ['echo § | kinit @u', 'kadmin -p @u/admin -w § -q listprincs', 'addprinc -pw § @u'],
    ['kinit -kt /etc/krb5.keytab @u', 'addprinc -randkey @u'],
  ],
  [
    'asterisk',
    ['[100]\ntype=friend\nsecret=§\nhost=dynamic', 'register => @u:§@@h/100'],
    ['[100]\ntype=friend\nhost=dynamic'],
  ],
  ['postfix sasl', ['[@h]:587 @u:§', '@h:25    @u:§'], ['smtp_sasl_password_maps = hash:/etc/postfix/sasl_passwd']],
  ['dovecot users', ['@u:{PLAIN}§:1000:1000::/home/mail', '@u:{CLEARTEXT}§'], ['@u:x:1000:1000::/home/mail:/bin/sh']],
  [
    'fetchmail',
    [
      'poll @h proto IMAP user "@u" pass "§"',
      "poll @h with proto POP3 user '@u' there with password '§' is 'ann' here",
    ],
    ['poll @h proto IMAP user "@u"'],
  ],
  [
    'irc',
    ['/msg NickServ IDENTIFY §', '/set irc.server.chat.sasl_password §', 'PASS oauth:§l'],
    ['/msg NickServ HELP', '/set irc.server.chat.autoconnect on'],
  ],
  [
    'check plugins',
    ['check_mysql -H @h -u @u -p §', 'check_ldap -H @h -D cn=@u -P § -b dc=x'],
    ['check_http -H @h -p 8443', 'check_disk -w 20% -c 10% -p /srv'],
  ],
  [
    'prometheus',
    ['basic_auth:\n  username: @u\n  password: §', 'authorization:\n  credentials: §a', 'bearer_token: §a'],
    ['basic_auth:\n  username: @u\n  password_file: /run/pw', 'bearer_token_file: /var/run/token'],
  ],
  [
    'grafana',
    [
      'secureJsonData:\n  password: §',
      'secureJsonData:\n  basicAuthPassword: §',
      'grafana-cli admin reset-admin-password §',
    ],
    ['jsonData:\n  httpMethod: POST'],
  ],
  [
    'logstash',
    ['elasticsearch { user => "@u" password => "§" }', "jdbc { jdbc_user => '@u' jdbc_password => '§' }"],
    ['elasticsearch { user => "@u" password => "£{ES_PWD}" }'],
  ],
  [
    'fluentd',
    ['<match **>\n  user @u\n  password §\n</match>', '[OUTPUT]\n  HTTP_User @u\n  HTTP_Passwd §'],
    ['<match **>\n  user @u\n  @type stdout\n</match>'],
  ],
  [
    'haproxy',
    ['user @u insecure-password §', 'stats auth @u:§', 'cache_peer @h parent 3128 0 login=@u:§'],
    ['stats uri /haproxy', 'user haproxy\ngroup haproxy'],
  ],
  [
    'apache env',
    ['SetEnv DB_PASS §', 'php_value mysqli.default_pw §', 'fastcgi_param DB_PASSWORD §;'],
    ['SetEnv APP_ENV production', 'fastcgi_param SCRIPT_NAME $fastcgi_script_name;'],
  ],
  [
    'ldif',
    ['dn: cn=@u\nuserPassword: §', 'userPassword:: ¶', 'olcRootPW: §'],
    ['dn: cn=@u\nobjectClass: person', 'olcRootDN: cn=admin'],
  ],
  [
    'secret stores',
    [
      'vault kv put secret/db password=§',
      'consul kv put db/password §',
      'etcdctl put /db/password §',
      'etcdctl --user @u:§ get x',
    ],
    ['vault kv get secret/db', 'consul kv put db/host @h', 'etcdctl put /db/port 5432'],
  ],
  [
    'aws secrets',
    [
      'aws ssm put-parameter --name /db/password --value § --type SecureString',
      'aws secretsmanager create-secret --name db --secret-string §',
      'aws rds create-db-instance --master-username @u --master-user-password §',
    ],
    [
      'aws ssm put-parameter --name /db/host --value @h --type String',
      'aws secretsmanager get-secret-value --secret-id db',
    ],
  ],
  [
    'cloud secrets',
    [
      'echo -n "§" | gcloud secrets create db --data-file=-',
      'az keyvault secret set --vault-name v --name db --value §',
      'az sql server create --admin-user @u --admin-password §',
    ],
    ['gcloud secrets list', 'az keyvault secret show --vault-name v --name db'],
  ],
  [
    'host secrets',
    [
      'gh secret set DB_PASSWORD --body "§"',
      'heroku config:set DB_PASSWORD=§',
      'fly secrets set API_SECRET=§a',
      'netlify env:set API_SECRET §a',
      'echo "§" | wrangler secret put DB_PASSWORD',
    ],
    ['gh secret list', 'heroku config:get DB_PASSWORD', 'wrangler secret list'],
  ],
  [
    'travis',
    ['travis encrypt DB_PASSWORD=§ --add env.global', 'env:\n  global:\n    - secure: "§b§b§b="'],
    ['env:\n  global:\n    - NODE_ENV=test'],
  ],
  [
    'tunnel token',
    [
      'ngrok authtoken §a',
      'ngrok config add-authtoken §a',
      'cloudflared tunnel run --token §b§b§b',
      'tailscale up --authkey tskey-auth-§a',
    ],
    ['ngrok http 8080', 'tailscale status'],
  ],
  [
    'scanner token',
    ['snyk auth §u', 'sonar-scanner -Dsonar.login=§h', 'codecov -t §u', 'sonar.token=§h'],
    ['snyk test --all-projects', 'sonar-scanner -Dsonar.projectKey=shop'],
  ],
  [
    'package registries',
    [
      'cargo login §b',
      'twine upload -u @u -p § dist/*',
      ':rubygems_api_key: §h',
      'bundle config set gems.@h @u:§',
      'BUNDLE_GEMS__SHOP__COM: "@u:§"',
    ],
    ['cargo login', 'twine check dist/*', 'bundle config set path vendor'],
  ],
  [
    'composer',
    [
      '"http-basic": {"@h": {"username": "@u", "password": "§"}}',
      '"github-oauth": {"github.com": "§h"}',
      'composer config http-basic.@h @u §',
    ],
    ['composer config repositories.shop vcs https://@h', '"github-domains": ["github.com"]'],
  ],
  [
    'conan',
    ['conan user -p § -r shop @u', 'conan remote login shop @u -p §', 'jf config add --user=@u --password=§'],
    ['conan install . -pr default', 'conan remote list'],
  ],
  [
    'token in a path',
    ['https://@h/t/§h/channel', 'https://hook.eu1.make.com/§l', 'https://maker.ifttt.com/trigger/x/with/key/§a'],
    ['https://@h/t/announcements/channel', 'https://ifttt.com/explore'],
  ],
  [
    'key header',
    [
      "-H 'PRIVATE-TOKEN: §a'",
      'X-Vault-Token: §a',
      'DD-API-KEY: §h',
      'Ocp-Apim-Subscription-Key: §h',
      'X-JFrog-Art-Api: §b',
    ],
    ['X-Request-Id: 7f3a', 'Content-Type: application/json'],
  ],
  [
    'keyring',
    [
      "keyring.set_password('shop', '@u', '§')",
      "secret-tool store --label=shop user @u <<< '§'",
      'security add-generic-password -a @u -s shop -w §',
    ],
    ["keyring.get_password('shop', '@u')", 'security find-generic-password -s shop -w'],
  ],
  [
    'network device api',
    [
      "{'device_type': 'cisco_ios', 'username': '@u', 'password': '§', 'secret': '§'}",
      'ConnectHandler(host="@h", username="@u", password="§")',
    ],
    ["{'device_type': 'cisco_ios', 'username': '@u'}"],
  ],
  [
    'ruby connect',
    [
      ":password => '§'",
      "establish_connection(adapter: 'pg', username: '@u', password: '§')",
      "Net::SSH.start('@h', '@u', password: '§')",
    ],
    [":password => ENV['DB_PASSWORD']", 'has_secure_password validations: false'],
  ],
  [
    'go connect',
    [
      'smtp.PlainAuth("", "@u", "§", "@h")',
      'redis.Options{Addr: "@h:6379", Password: "§"}',
      'opts.SetUsername("@u").SetPassword("§")',
      'req.SetBasicAuth("@u", "§")',
    ],
    ['smtp.PlainAuth("", user, password, host)', 'redis.Options{Password: ""}'],
  ],
  [
    'rust connect',
    ['.password("§")', 'Credentials::new("@u".to_string(), "§".to_string())', '.basic_auth("@u", Some("§"))'],
    ['.password(&config.password)', '.basic_auth(user, None::<&str>)'],
  ],
  [
    'java authenticator',
    [
      'new PasswordAuthentication("@u", "§".toCharArray())',
      'props.put("mail.smtp.password", "§")',
      '.withPassword("§")',
      'ks.load(in, "§".toCharArray())',
    ],
    ['new PasswordAuthentication(user, pass)', 'ks.load(in, password.toCharArray())'],
  ],
  [
    'dotnet secrets',
    ['dotnet user-secrets set "Db:Password" "§"', 'new SqlConnectionStringBuilder { UserID = "@u", Password = "§" }'],
    ['dotnet user-secrets list', 'options.Password.RequiredLength = 12'],
  ],
  [
    'node mail',
    ["auth: { user: '@u', pass: '§' }", "mongoose.connect(uri, { user: '@u', pass: '§' })"],
    ['auth: { user, pass: process.env.SMTP_PASS }'],
  ],
  [
    'windows commands',
    [
      'net use Z: \\\\@h\\share § /user:@u',
      'schtasks /create /tn t /ru @u /rp §',
      'sc config svc obj= @u password= §',
      'reg add HKLM\\Winlogon /v DefaultPassword /d §',
    ],
    ['net use Z: \\\\@h\\share', 'schtasks /create /tn t /ru SYSTEM'],
  ],
  [
    'unattended setup',
    [
      '<Password><Value>§</Value><PlainText>true</PlainText></Password>',
      'rootpw --plaintext §',
      'd-i passwd/root-password password §',
      'plain_text_passwd: §',
    ],
    ['rootpw --lock', 'd-i passwd/root-login boolean false'],
  ],
  [
    'cloud-init',
    ['chpasswd:\n  list: |\n    @u:§', 'chpasswd:\n  users:\n    - {name: @u, password: §, type: text}'],
    ['chpasswd:\n  expire: false'],
  ],
  [
    'vagrant',
    ['config.ssh.password = "§"', '"ssh_username": "@u", "ssh_password": "§"', '"winrm_password": "§"'],
    ['config.ssh.username = "vagrant"', '"ssh_timeout": "20m"'],
  ],
  [
    'vnc',
    ['x11vnc -passwd § -forever', 'vncpasswd -f <<< "§"', 'xtightvncviewer -user @u -password §'],
    ['x11vnc -usepw -forever', 'vncserver :1'],
  ],
  [
    'data tools',
    [
      'beeline -u jdbc:hive2://@h -n @u -p §',
      'airflow connections add db --conn-login @u --conn-password §',
      'cypher-shell -u @u -p § "RETURN 1"',
      'NEO4J_AUTH=neo4j/§',
      'neo4j-admin dbms set-initial-password §',
    ],
    ['airflow dags list', 'NEO4J_AUTH=none'],
  ],
  [
    'mqtt',
    ['mosquitto_pub -h @h -u @u -P § -t shop', 'mosquitto_passwd -b /etc/mosquitto/pw @u §'],
    ['mosquitto_sub -h @h -p 1883 -t shop', 'mosquitto_passwd -c /etc/mosquitto/pw @u'],
  ],
  [
    'ipmi',
    ['ipmitool -I lanplus -H @h -U @u -P § power status', 'racadm -r @h -u @u -p § getsysinfo'],
    ['ipmitool -H @h -f /run/pw power status', 'ipmitool sdr list'],
  ],
  [
    'hadoop',
    ['<name>javax.jdo.option.ConnectionPassword</name>\n<value>§</value>', 'sqoop import --username @u --password §'],
    ['<name>dfs.replication</name>\n<value>3</value>'],
  ],
  [
    'jboss',
    ['jboss-cli.sh --connect --user=@u --password=§', 'add-user.sh @u §', '<credential-reference clear-text="§"/>'],
    ['jboss-cli.sh --connect', '<credential-reference store="s" alias="db"/>'],
  ],
  [
    'wlst',
    ["connect('@u', '§', 't3://@h:7001')", "session.login('@u', '§', realm='shop')"],
    ["connect(url='t3://@h:7001')"],
  ],
  [
    'backup passwords',
    [
      'BORG_PASSPHRASE=§ borg create',
      'RESTIC_PASSWORD=§ restic backup',
      'rclone obscure §',
      'echo -n "§" | cryptsetup luksOpen /dev/sdb1 d',
      'veracrypt --text -p § v.hc',
    ],
    ['RESTIC_PASSWORD_FILE=/run/pw restic backup', 'cryptsetup luksDump /dev/sdb1'],
  ],
  [
    'ssh keygen',
    ['ssh-keygen -t ed25519 -N "§" -f k', 'ssh-keygen -p -P § -N § -f k'],
    ['ssh-keygen -t ed25519 -N "" -f k', 'ssh-keygen -R @h'],
  ],
  [
    'app signing',
    [
      'apksigner sign --ks k.jks --ks-pass pass:§ a.apk',
      'security unlock-keychain -p § login.keychain',
      'security import c.p12 -P § -k k',
      'xcrun altool --upload-app -u @u -p § -f a.ipa',
      'signtool sign /f c.pfx /p § a.exe',
    ],
    ['apksigner sign --ks k.jks --ks-pass env:KS a.apk', 'signtool verify /pa a.exe'],
  ],
  [
    'service addresses',
    [
      'https://hc-ping.com/§u',
      'https://§h@o1.ingest.sentry.io/42',
      'https://webexapis.com/v1/webhooks/incoming/§a',
      'https://events.pagerduty.com/integration/§h/enqueue',
      'https://calendar.google.com/calendar/ical/@u/private-§h/basic.ics',
      'https://zoom.us/j/98765432100?pwd=§a',
    ],
    ['https://developer.webex.com/docs/webhooks', 'https://zoom.us/j/98765432100'],
  ],
  [
    'cluster join',
    [
      'kubeadm join @h:6443 --token §j --discovery-token-ca-cert-hash x',
      'docker swarm join --token SWMTKN-1-§l-§l @h:2377',
      'k3s agent --server https://@h --token §a',
      'echo "§" | docker secret create db -',
      'docker build --build-arg DB_PASSWORD=§ .',
    ],
    ['kubeadm token list', 'docker swarm leave --force'],
  ],
  [
    'configuration management',
    [
      "mysql::server::root_password: '§'",
      "mysql.pass: '§'",
      'knife bootstrap @h -U @u -P § --sudo',
      'default["shop"]["db_password"] = "§"',
    ],
    ['mysql::server::package_name: mysql', 'knife node list'],
  ],
  [
    'session in logs',
    ['GET /cart;jsessionid=§h HTTP/1.1', 'PHPSESSID=§l', 'JSESSIONID=§h; Path=/', 'connect.sid=s%3A§a.§a'],
    ['GET /cart;v=2 HTTP/1.1', 'session started for @u'],
  ],
  [
    'one-time seeds',
    ['otpauth://totp/shop:@u?secret=§s&issuer=shop', 'oathtool --totp -b §s', 'TOTP seed: §s'],
    ['oathtool --version', 'otpauth://totp/shop'],
  ],
  [
    'short names',
    ['user=@u&pw=§', '{"user":"@u","pw":"§"}', 'pw: §\nhost: @h', 'login: @u\npw = §'],
    ['{"user":"@u","pw":""}', 'pw: £{PW}'],
  ],
  [
    'tables',
    ['username,password\n@u,§\n', '| user | password |\n|---|---|\n| @u | § |', 'host\tuser\tpassword\n@h\t@u\t§'],
    ['username,email\n@u,@u@@h\n', '| field | type |\n|---|---|\n| password | text |'],
  ],
  [
    'sql statements',
    [
      "INSERT INTO users (name, password) VALUES ('@u', '§')",
      "UPDATE users SET password = '§' WHERE name = '@u'",
      "ALTER LOGIN shop WITH PASSWORD = N'§'",
      "CREATE USER MAPPING FOR x SERVER s OPTIONS (user '@u', password '§')",
      "PRAGMA key = '§'",
    ],
    ['SELECT name, password FROM users', "INSERT INTO users (name, role) VALUES ('@u', 'reader')", 'PRAGMA key_count'],
  ],
  [
    'browser automation',
    [
      "await page.fill('#password', '§')",
      "cy.get('input[name=password]').type('§')",
      'driver.find_element(By.ID, "password").send_keys("§")',
      "await user.type(screen.getByLabelText('Password'), '§')",
      '<input type="password" name="p" value="§">',
    ],
    [
      "await page.click('#password')",
      "cy.get('input[name=password]').should('exist')",
      '<input type="password" name="p" value="">',
    ],
  ],
  [
    'variable default',
    [
      'variable "db_password" {\n  default = "§"\n}',
      'ARG DB_PASSWORD=§',
      'parameters:\n  dbPassword:\n    defaultValue: §',
    ],
    ['variable "db_host" {\n  default = "@h"\n}', 'ARG DB_PASSWORD'],
  ],
  [
    'shell families',
    [
      '$env:DB_PASSWORD = "§"',
      '[Environment]::SetEnvironmentVariable("DB_PASSWORD", "§", "User")',
      'set -gx DB_PASSWORD §',
      'setenv DB_PASSWORD §',
      'set PGPASSWORD=§&& psql',
    ],
    ['set -gx EDITOR vim', 'setenv LANG C', '$env:PATH'],
  ],
];
