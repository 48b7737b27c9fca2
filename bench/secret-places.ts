import type { SecretRow } from './secret-corpus.js';
import { SeededRandom } from './seeded-random.js';

/**
 * Places in which files and commands hold a secret that only its place gives away: the name of the place, texts with
 * the secret as `§` (`¶`: a user and the secret in base64; with a letter: a random value of that form), a user as `@u`,
 * a host as `@h` and `$` as `£`, and texts of the same place that hold none. The manuals of the programs give the forms.
 */
export type Place = readonly [name: string, held: readonly string[], without: readonly string[]];

const PLACES: readonly Place[] = [
  [
    'netrc',
    ['machine @h\nlogin @u\npassword §\n', 'machine @h login @u password §'],
    ['machine @h login @u\n', 'the machine has no login, and the password was not asked'],
  ],
  [
    'gradle credentials',
    [
      "credentials {\n    username '@u'\n    password '§'\n}",
      'maven { url "https://@h/m2"; credentials { username = "@u"; password = "§" } }',
    ],
    [
      "credentials {\n    username '@u'\n    password System.getenv('REPO_PASSWORD')\n}",
      "password findProperty('repoPassword')",
    ],
  ],
  [
    'gradle signing',
    ["storePassword '§'\nkeyAlias 'upload'\nkeyPassword '§'", 'signing.password=§\nsigning.keyId=24875D73'],
    ["storePassword keystoreProperties['storePassword']", 'signing.password=£{SIGNING_PASSWORD}'],
  ],
  [
    'odbc',
    ['Driver={ODBC Driver 18 for SQL Server};Server=@h;Database=shop;UID=@u;PWD=§;', 'DSN=shop;Uid=@u;Pwd=§'],
    ['Driver={PostgreSQL Unicode};Server=@h;Database=shop;Trusted_Connection=yes;', 'DSN=shop;Uid=@u;Pwd={?}'],
  ],
  [
    'jdbc parameter',
    ['jdbc:postgresql://@h:5432/shop?user=@u&password=§&ssl=true', 'jdbc:mysql://@h/shop?user=@u&password=§'],
    ['jdbc:postgresql://@h:5432/shop?ssl=true&passwordRequired=false', 'jdbc:h2:mem:test;DB_CLOSE_DELAY=-1'],
  ],
  [
    'jdbc sql server',
    [
      'jdbc:sqlserver://@h:1433;databaseName=shop;user=@u;password=§;encrypt=true',
      'jdbc:sqlserver://@h;user=@u;password=§',
    ],
    ['jdbc:sqlserver://@h;integratedSecurity=true;passwordEncryption=none'],
  ],
  [
    'jdbc oracle',
    ['jdbc:oracle:thin:@u/§@//@h:1521/ORCL', 'sqlplus @u/§@@h:1521/ORCL'],
    ['jdbc:oracle:thin:@//@h:1521/ORCL', 'sqlplus / as sysdba'],
  ],
  [
    'ado.net',
    [
      'Server=tcp:@h,1433;Initial Catalog=shop;User ID=@u;Password=§;Encrypt=True',
      'Data Source=@h;User Id=@u;Password=§',
    ],
    ['Server=@h;Integrated Security=SSPI;Persist Security Info=False', 'Password=;'],
  ],
  [
    'libpq',
    ['host=@h port=5432 dbname=shop user=@u password=§', 'psql "host=@h user=@u password=\'§\' sslmode=require"'],
    ['host=@h dbname=shop user=@u sslmode=require passfile=/run/pgpass'],
  ],
  ['pgpass', ['@h:5432:shop:@u:§', '*:*:*:@u:§'], ['@h:5432:shop:@u', '# hostname:port:database:username:password']],
  [
    'maven settings',
    [
      '<server>\n  <id>releases</id>\n  <username>@u</username>\n  <password>§</password>\n</server>',
      '<server><id>s</id><passphrase>§</passphrase></server>',
    ],
    [
      '<server>\n  <id>releases</id>\n  <password>£{env.REPO_PASSWORD}</password>\n</server>',
      '<passwordPolicy>strict</passwordPolicy>',
    ],
  ],
  [
    'docker config',
    ['{"auths":{"@h":{"auth":"¶"}}}', '"auths": {\n  "https://@h/v1/": {\n    "auth": "¶"\n  }\n}'],
    ['{"auths":{"@h":{}},"credsStore":"desktop"}', '{"auths":{"@h":{"auth":""}}}'],
  ],
  [
    'kubeconfig',
    ['users:\n- name: @u\n  user:\n    username: @u\n    password: §', 'users:\n- name: @u\n  user:\n    token: §'],
    [
      'users:\n- name: @u\n  user:\n    exec:\n      command: aws',
      'users:\n- name: @u\n  user:\n    tokenFile: /var/run/token',
    ],
  ],
  [
    'kubernetes secret',
    ['apiVersion: v1\nkind: Secret\ndata:\n  password: ¶\n', 'kind: Secret\nstringData:\n  db-pass: §\n'],
    [
      'kind: ConfigMap\ndata:\n  mode: production\n',
      'env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password',
    ],
  ],
  [
    'kubectl literal',
    [
      'kubectl create secret generic db --from-literal=password=§',
      'kubectl create secret generic db --from-literal=user=@u --from-literal=apikey=§',
    ],
    [
      'kubectl create configmap m --from-literal=mode=production',
      'kubectl create secret generic db --from-file=password=/run/pw',
    ],
  ],
  [
    'docker registry secret',
    [
      'kubectl create secret docker-registry r --docker-server=@h --docker-username=@u --docker-password=§',
      "kubectl create secret docker-registry r --docker-password='§'",
    ],
    ['kubectl create secret docker-registry r --docker-username=@u --docker-password=$REG_PASS'],
  ],
  [
    'ansible vars',
    ['ansible_user: @u\nansible_password: §\n', 'ansible_become_pass: "§"\n'],
    ['ansible_become_pass: "{{ vault_become_pass }}"', 'ansible_password: !vault |'],
  ],
  [
    'ansible inventory',
    ['web1 ansible_host=@h ansible_user=@u ansible_ssh_pass=§', 'web1 ansible_become_password=§ ansible_port=22'],
    ['web1 ansible_host=@h ansible_user=@u ansible_ssh_private_key_file=~/.ssh/id'],
  ],
  [
    'tfvars',
    ['db_username = "@u"\ndb_password = "§"\n', 'admin_pass    = "§"'],
    ['variable "db_password" {\n  type = string\n  sensitive = true\n}', 'db_password = var.db_password'],
  ],
  [
    'terraform provider',
    ['provider "vsphere" {\n  user     = "@u"\n  password = "§"\n}', 'provider "grafana" {\n  auth = "@u:§"\n}'],
    ['provider "grafana" {\n  auth = var.grafana_auth\n}', 'auth = "oidc"'],
  ],
  [
    'npmrc',
    ['//@h/:_password=¶\n//@h/:username=@u', '//@h/:_authToken=§'],
    ['//@h/:_authToken=£{NPM_TOKEN}', '//@h/:always-auth=true'],
  ],
  [
    'npmrc auth',
    ['_auth=¶\nemail=@u@@h', '@scope:registry=https://@h/\n_auth = "¶"'],
    ['_auth=£{NPM_AUTH}', 'auth-type=web'],
  ],
  [
    'yarnrc',
    ['npmRegistries:\n  "https://@h":\n    npmAuthIdent: "@u:§"', 'npmAuthToken: "§"'],
    ['npmAuthToken: "£{NPM_TOKEN}"', 'npmAlwaysAuth: true'],
  ],
  [
    'pip.conf',
    ['[global]\nindex-url = https://@u:§@@h/simple\n', 'extra-index-url = https://:§@@h/simple'],
    ['[global]\nindex-url = https://@h/simple\n'],
  ],
  [
    'pypirc',
    ['[pypi]\nusername = @u\npassword = §\n', '[testpypi]\n  username: @u\n  password: §'],
    ['[pypi]\nusername = __token__\n', '[distutils]\nindex-servers = pypi'],
  ],
  [
    'poetry',
    ['poetry config http-basic.repo @u §', 'poetry config pypi-token.pypi §'],
    ['poetry config virtualenvs.in-project true', 'poetry config http-basic.repo @u'],
  ],
  [
    'powershell secure',
    ["$p = ConvertTo-SecureString '§' -AsPlainText -Force", 'ConvertTo-SecureString -String "§" -AsPlainText -Force'],
    ['$p = Read-Host -AsSecureString', 'ConvertTo-SecureString -String $env:PW -AsPlainText -Force'],
  ],
  [
    'powershell credential',
    [
      "New-Object System.Net.NetworkCredential('@u', '§')",
      "$cred = [pscredential]::new('@u', (ConvertTo-SecureString '§' -AsPlainText -Force))",
    ],
    ['$cred = Get-Credential -UserName @u', 'New-Object PSCredential ($user, $secure)'],
  ],
  [
    'curl user',
    ['curl -u @u:§ https://@h/api', 'curl -s --user "@u:§" https://@h/api'],
    ['curl -u @u https://@h/api', 'curl -u "$USER:$PASS" https://@h/api'],
  ],
  [
    'curl basic header',
    ["curl -H 'Authorization: Basic ¶' https://@h", 'Authorization: Basic ¶'],
    ['WWW-Authenticate: Basic realm="shop"', 'curl -H "Authorization: Basic $AUTH" https://@h'],
  ],
  [
    'curl proxy',
    ['curl -x http://@h:3128 --proxy-user @u:§ https://@h', 'curl -U @u:§ -x @h:3128 https://@h'],
    ['curl -x http://@h:3128 https://@h'],
  ],
  [
    'wget',
    [
      'wget --user=@u --password=§ https://@h/f',
      'wget --http-user=@u --http-password=§ https://@h/f',
      'wget --ftp-password=§ ftp://@h/f',
    ],
    ['wget --user=@u --ask-password https://@h/f'],
  ],
  [
    'cookie',
    ['Cookie: sessionid=§; csrftoken=§', "curl -b 'session=§' https://@h", 'Set-Cookie: sid=§; Path=/; HttpOnly'],
    ['Set-Cookie: theme=dark; Path=/', 'curl -b cookies.txt https://@h', 'The cookie banner hides the form.'],
  ],
  [
    'sas token',
    [
      'https://@h/c/f?sv=2022-11-02&ss=b&srt=sco&sp=rl&se=2026-12-01&sig=¶',
      'SharedAccessSignature=sv=2022-11-02&sig=¶',
    ],
    ['https://@h/c/f?sv=2022-11-02&comp=list'],
  ],
  [
    'azure storage',
    [
      'DefaultEndpointsProtocol=https;AccountName=@u;AccountKey=¶;EndpointSuffix=core.windows.net',
      'Endpoint=sb://@h/;SharedAccessKeyName=root;SharedAccessKey=¶',
    ],
    ['UseDevelopmentStorage=true', 'Endpoint=sb://@h/;Authentication=Managed Identity'],
  ],
  [
    'slack webhook',
    [
      'https://hooks.slack.com/services/T0ABCDE12/B0ABCDE34/§a',
      'curl -X POST https://hooks.slack.com/workflows/T0ABCDE12/A1/3/§a',
    ],
    ['see https://api.slack.com/messaging/webhooks'],
  ],
  [
    'teams webhook',
    [
      'https://shop.webhook.office.com/webhookb2/§u@§u/IncomingWebhook/§h/§u',
      'https://outlook.office.com/webhook/§u@§u/IncomingWebhook/§h/§u',
    ],
    ['https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/'],
  ],
  [
    'discord webhook',
    [
      'https://discord.com/api/webhooks/112233445566778899/§a',
      'https://ptb.discord.com/api/v10/webhooks/112233445566778899/§a',
    ],
    ['https://discord.com/developers/docs/resources/webhook'],
  ],
  [
    'google chat webhook',
    [
      'https://chat.googleapis.com/v1/spaces/AAAA/messages?key=§a&token=§a',
      'https://chat.googleapis.com/v1/spaces/AAAAx/messages?threadKey=t&token=§a',
    ],
    ['https://developers.google.com/workspace/chat/quickstart/webhooks'],
  ],
  [
    'mattermost webhook',
    ['https://@h/hooks/§l', 'curl -d payload https://chat.@h/hooks/§l'],
    ['https://@h/hooks/pre-commit', 'https://@h/docs/hooks/use-effect-in-react'],
  ],
  [
    'rocket webhook',
    ['https://chat.@h/hooks/§h/§a', 'webhook_url: https://@h/hooks/§h/§a'],
    ['https://@h/hooks/index.html'],
  ],
  [
    'telegram',
    ['https://api.telegram.org/bot1234567890:AA§b/sendMessage'],
    ['https://core.telegram.org/bots/api#sendmessage'],
  ],
  [
    'feishu webhook',
    [
      'https://open.feishu.cn/open-apis/bot/v2/hook/§u',
      'https://oapi.dingtalk.com/robot/send?access_token=§h',
      'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=§u',
    ],
    ['https://open.feishu.cn/document/client-docs/bot-v3/'],
  ],
  [
    'mysql option',
    ['mysql -u @u -p§ shop', 'mysqldump --user=@u --password=§ shop > d.sql'],
    ['mysql -u @u -p shop', 'mysqldump --single-transaction shop'],
  ],
  [
    'my.cnf',
    ['[client]\nuser=@u\npassword=§\n', '[mysqldump]\nuser = @u\npassword = "§"'],
    ['[client]\nuser=@u\nsocket=/run/mysqld.sock'],
  ],
  [
    'psql env',
    ['PGPASSWORD=§ psql -h @h -U @u shop', "env PGPASSWORD='§' pg_dump shop"],
    ['PGPASSFILE=/run/pgpass psql shop'],
  ],
  ['redis', ['redis-cli -h @h -a § ping', 'redis-cli -u redis://@u:§@@h:6379'], ['redis-cli -h @h ping']],
  [
    'redis conf',
    ['requirepass §', 'AUTH @u §', 'user @u on >§ ~* +@all'],
    ['protected-mode yes', 'user default on nopass ~* +@all'],
  ],
  [
    'mongo option',
    ['mongosh --host @h -u @u -p § shop', 'mongodump --username @u --password § --db shop'],
    ['mongosh --host @h shop'],
  ],
  [
    'mssql option',
    ['sqlcmd -S @h -U @u -P § -Q "select 1"', 'bcp t out f -S @h -U @u -P§'],
    ['sqlcmd -S @h -E -Q "select 1"'],
  ],
  [
    'clickhouse',
    ['clickhouse-client --host @h --user @u --password §', 'snowsql -a shop -u @u --private-key-passphrase §'],
    ['clickhouse-client --host @h --ask-password'],
  ],
  [
    'influx',
    ['influx setup --username @u --password § --org shop', 'influx -username @u -password §'],
    ['influx ping --host http://@h'],
  ],
  [
    'cassandra',
    ['cqlsh @h -u @u -p §', "CREATE ROLE @u WITH PASSWORD = '§' AND LOGIN = true"],
    ['cqlsh @h', 'CREATE ROLE @u WITH LOGIN = true'],
  ],
  [
    'sql user',
    ["CREATE USER @u WITH PASSWORD '§'", "ALTER USER '@u'@'%' IDENTIFIED BY '§'"],
    ['CREATE USER @u', 'DROP ROLE @u'],
  ],
  [
    'docker login',
    ['docker login -u @u -p § @h', 'helm registry login @h --username @u --password §'],
    ['docker login @h', 'docker run -p 8080:80 nginx'],
  ],
  [
    'oc login',
    ['oc login https://@h --username=@u --password=§', 'oc login -u @u -p § https://@h'],
    ['oc login --web', 'oc login --token=$TOKEN https://@h'],
  ],
  [
    'az login',
    ['az login --service-principal -u §u -p § --tenant shop', 'az ad sp create --password §'],
    ['az login --use-device-code'],
  ],
  [
    'gcloud',
    ['gcloud sql users set-password @u --instance=i --password=§', 'cf login -a @h -u @u -p §'],
    ['gcloud auth login', 'cf target -o shop -s dev'],
  ],
  [
    'argocd',
    ['argocd login @h --username @u --password §', 'vault login -method=userpass username=@u password=§'],
    ['argocd login @h --sso', 'vault login -method=oidc'],
  ],
  [
    'sshpass',
    ['sshpass -p § ssh @u@@h', "sshpass -p '§' scp f @u@@h:/tmp"],
    ['ssh -p 2222 @u@@h', 'sshpass -f /run/pw ssh @u@@h'],
  ],
  [
    'expect',
    ['expect "password:"\nsend "§\\r"', 'spawn ssh @u@@h\nexpect "assword:" { send "§\\n" }'],
    ['expect "login:"\nsend "yes\\r"'],
  ],
  [
    'svn',
    ['svn checkout --username @u --password § https://@h/r', 'svn up --non-interactive --password §'],
    ['svn checkout https://@h/r'],
  ],
  [
    'hg config',
    ['[auth]\nshop.prefix = @h\nshop.username = @u\nshop.password = §', 'https://@u:§@@h/repo'],
    ['[auth]\nshop.prefix = @h'],
  ],
  [
    'git credential',
    [
      'https://@u:§@@h',
      'git remote add o https://@u:§@@h/r.git',
      'git config http.extraheader "AUTHORIZATION: basic ¶"',
    ],
    ['git config credential.helper store', 'https://@h/r.git'],
  ],
  [
    'smb mount',
    [
      'mount -t cifs //@h/s /m -o username=@u,password=§',
      '//@h/s /m cifs username=@u,password=§,uid=1000 0 0',
      'smbclient //@h/s -U @u%§',
    ],
    ['mount -t cifs //@h/s /m -o credentials=/etc/smb.cred', 'smbclient -L @h -N'],
  ],
  [
    'ldap',
    ['ldapsearch -x -D cn=@u -w § -b dc=x', 'bindpw §', 'ldap_default_authtok = §'],
    ['ldapsearch -x -D cn=@u -W', 'ldap_default_authtok_type = password'],
  ],
  [
    'wifi',
    ['network={\n  ssid="office"\n  psk="§"\n}', 'nmcli dev wifi connect office password §', 'wpa_passphrase=§'],
    ['network={\n  ssid="office"\n  key_mgmt=NONE\n}'],
  ],
  [
    'smtp',
    ['SMTP_USER=@u\nSMTP_PASS=§', "server.login('@u', '§')", 'swaks --auth-user @u --auth-password § --to a@@h'],
    ['SMTP_PORT=587', 'server.login(user, os.environ["SMTP_PASS"])'],
  ],
  [
    'msmtp',
    ['account shop\nhost @h\nuser @u\npassword §', 'set smtp_pass = "§"', 'set imap_pass="§"'],
    ['account shop\nhost @h\npasswordeval "gpg -d ~/.pw"'],
  ],
  ['ftp', ['ncftpput -u @u -p § @h /d f', 'lftp -u @u,§ @h', 'quote PASS §'], ['lftp @h', 'ncftpput -u @u @h /d f']],
  [
    'rsync',
    ['RSYNC_PASSWORD=§ rsync a rsync://@u@@h/m', 'echo "@u:§" > /etc/rsyncd.secrets'],
    ['rsync --password-file=/etc/rsync.pw a b'],
  ],
  [
    'keystore',
    [
      'keytool -genkey -alias a -storepass § -keypass §',
      'jarsigner -storepass § a.jar a',
      'server.ssl.key-store-password=§',
    ],
    ['keytool -list -keystore k.jks', 'server.ssl.key-store-type=PKCS12'],
  ],
  [
    'openssl',
    [
      'openssl pkcs12 -export -in c -out p -passout pass:§',
      'openssl enc -aes-256-cbc -k § -in a -out b',
      'openssl rsa -in k -passin pass:§',
    ],
    ['openssl rsa -in k -passin env:KEYPASS', 'openssl enc -aes-256-cbc -pass file:/run/pw'],
  ],
  [
    'gpg',
    ['gpg --batch --passphrase § -c f', 'restic -r r --password § backup', "borg init --passphrase '§' r"],
    ['gpg --batch --passphrase-file /run/pw -c f', 'restic --password-file /run/pw backup'],
  ],
  [
    'zip',
    ['zip -P § a.zip f', '7z x -p§ a.7z', 'unrar x -p§ a.rar'],
    ['zip -r a.zip d', '7z a -r a.7z d', 'mkdir -p build/output'],
  ],
  [
    'htpasswd',
    ['htpasswd -b .htpasswd @u §', 'htpasswd -nbB @u §', "echo -n '@u:§' | openssl base64"],
    ['htpasswd -c .htpasswd @u'],
  ],
  [
    'user accounts',
    ["echo '@u:§' | chpasswd", 'net user @u § /add', 'useradd -m -p § @u'],
    ['useradd -m -s /bin/bash @u', 'net user @u /active:yes'],
  ],
  [
    'sudo',
    [
      "echo '§' | sudo -S apt-get update",
      'echo § | docker login -u @u --password-stdin @h',
      "printf '%s' '§' | gh auth login --with-token",
    ],
    ['sudo -n true', 'cat pw | docker login --password-stdin @h'],
  ],
  [
    'rdp',
    ['xfreerdp /v:@h /u:@u /p:§', 'cmdkey /add:@h /user:@u /pass:§', 'rdesktop -u @u -p § @h'],
    ['xfreerdp /v:@h /u:@u', 'mstsc /v:@h'],
  ],
  [
    'winrm',
    ['psexec \\\\@h -u @u -p § cmd', 'evil-winrm -i @h -u @u -p §', 'wmic /node:@h /user:@u /password:§ os get'],
    ['psexec \\\\@h cmd', 'winrm quickconfig'],
  ],
  [
    'rabbitmq',
    ['rabbitmqctl add_user @u §', 'rabbitmqadmin -u @u -p § list queues', 'default_pass = §'],
    ['rabbitmqctl list_users', 'default_user = @u'],
  ],
  [
    'kafka',
    [
      'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="@u" password="§";',
      'ssl.key.password=§',
      'kcat -X sasl.username=@u -X sasl.password=§ -b @h',
    ],
    ['security.protocol=SASL_SSL', 'sasl.mechanism=PLAIN'],
  ],
  [
    'elastic',
    [
      'elasticsearch.username: "@u"\nelasticsearch.password: "§"',
      'xpack.security.http.ssl.keystore.secure_password: §',
      'curl -u elastic:§ https://@h:9200',
    ],
    ['xpack.security.enabled: true', 'elasticsearch.hosts: ["https://@h:9200"]'],
  ],
  [
    'spring',
    [
      'spring.datasource.username=@u\nspring.datasource.password=§',
      'spring:\n  mail:\n    password: §',
      'spring.security.oauth2.client.registration.g.client-secret=§',
    ],
    ['spring.datasource.password=£{DB_PASSWORD}', 'spring.security.user.roles=ADMIN'],
  ],
  [
    'rails',
    ['production:\n  adapter: postgresql\n  username: @u\n  password: §', 'secret_key_base: §h'],
    ['  password: <%= ENV["DB_PASSWORD"] %>', 'filter_parameters: [:password, :token]'],
  ],
  [
    'django',
    ["DATABASES = {'default': {'USER': '@u', 'PASSWORD': '§'}}", "EMAIL_HOST_PASSWORD = '§'", "SECRET_KEY = '§'"],
    ["'PASSWORD': os.environ['DB_PASSWORD']", 'AUTH_PASSWORD_VALIDATORS = []'],
  ],
  [
    'laravel',
    ['DB_USERNAME=@u\nDB_PASSWORD=§', 'APP_KEY=base64:¶', 'MAIL_PASSWORD=§'],
    ['DB_PASSWORD=', 'MAIL_PASSWORD=null', "env('DB_PASSWORD', '')"],
  ],
  [
    'wordpress',
    ["define('DB_PASSWORD', '§');", "define( 'AUTH_KEY', '§' );", "$db_pass = '§';"],
    ["define('WP_DEBUG', false);", "define('DB_PASSWORD', getenv('DB_PASSWORD'));"],
  ],
  [
    'php connect',
    [
      "mysqli_connect('@h', '@u', '§', 'shop')",
      "new PDO('mysql:host=@h', '@u', '§')",
      "pg_connect('host=@h user=@u password=§')",
    ],
    ['mysqli_connect($host, $user, $pass, $db)', "new PDO($dsn, $user, getenv('PW'))"],
  ],
  [
    'python connect',
    [
      "psycopg2.connect(host='@h', user='@u', password='§')",
      "pymysql.connect('@h', '@u', '§', 'shop')",
      "paramiko.connect('@h', username='@u', password='§')",
    ],
    ['psycopg2.connect(host=host, password=password)', "connect(passwd=getpass('Password: '))"],
  ],
  [
    'http auth tuple',
    ["requests.get(url, auth=('@u', '§'))", "httpx.Client(auth=('@u', '§'))", "HTTPBasicAuth('@u', '§')"],
    ['requests.get(url, auth=(user, password))', 'requests.get(url, auth=None)'],
  ],
  [
    'java connect',
    [
      'DriverManager.getConnection(url, "@u", "§")',
      'ds.setPassword("§")',
      'new UsernamePasswordCredentials("@u", "§")',
    ],
    ['ds.setPassword(config.getPassword())', 'setPasswordEncoder(new BCryptPasswordEncoder())'],
  ],
  [
    'ci env',
    ['env:\n  DEPLOY_PASS: §', 'docker run -e POSTGRES_PASSWORD=§ postgres', 'ENV MYSQL_ROOT_PASSWORD §'],
    [
      'env:\n  DEPLOY_PASS: £{{ secrets.DEPLOY_PASS }}',
      'docker run -e POSTGRES_HOST_AUTH_METHOD=trust postgres',
      'ENV NODE_ENV production',
    ],
  ],
  [
    'compose',
    [
      '    environment:\n      MYSQL_PASSWORD: "§"',
      '      - REDIS_PASSWORD=§',
      '    command: redis-server --requirepass §',
    ],
    ['      - POSTGRES_PASSWORD_FILE=/run/secrets/db', '      MYSQL_PASSWORD: £{MYSQL_PASSWORD:?}'],
  ],
  [
    'helm set',
    [
      'helm install db chart --set auth.password=§',
      'helm upgrade db chart --set-string auth.rootPassword=§,auth.database=shop',
      'auth:\n  rootPassword: §',
    ],
    ['helm install db chart --set auth.existingSecret=db', 'helm install db chart --set replicas=3'],
  ],
  [
    'systemd',
    ['Environment="API_PASS=§"', 'Environment=DB_PASSWORD=§ LOG=info'],
    ['EnvironmentFile=/etc/shop.env', 'PassEnvironment=PATH LANG'],
  ],
  [
    'crontab',
    ['0 3 * * * BACKUP_PASS=§ /usr/bin/backup', 'MAILTO=ops\nFTP_PASSWD=§'],
    ['0 3 * * * /usr/bin/backup --password-file /run/pw'],
  ],
  [
    'jenkins',
    [
      '<hudson.util.Secret>§</hudson.util.Secret>',
      'java -jar jenkins-cli.jar -s https://@h -auth @u:§ build',
      '<apiToken>§a</apiToken>',
    ],
    [
      'credentials("deploy-password")',
      'withCredentials([usernamePassword(credentialsId: "d", passwordVariable: "P", usernameVariable: "U")])',
    ],
  ],
  [
    'nuget',
    [
      '<add key="ClearTextPassword" value="§" />',
      'nuget sources add -Name s -Source https://@h -UserName @u -Password §',
      'dotnet nuget add source https://@h -u @u -p § --store-password-in-clear-text',
    ],
    ['<add key="Password" value="%NUGET_PW%" />', 'dotnet nuget list source'],
  ],
  [
    'web.config',
    [
      '<add name="Db" connectionString="Server=@h;User Id=@u;Password=§" />',
      '<identity impersonate="true" userName="@u" password="§" />',
      '<network host="@h" userName="@u" password="§" />',
    ],
    ['<add name="Db" connectionString="Server=@h;Integrated Security=true" />', '<authentication mode="Windows" />'],
  ],
  [
    'tomcat',
    [
      '<user username="@u" password="§" roles="manager-gui"/>',
      '<Resource name="jdbc/s" username="@u" password="§" />',
      '<Connector keystorePass="§" />',
    ],
    ['<role rolename="manager-gui"/>', '<Connector port="8443" />'],
  ],
  [
    'properties',
    ['db.user=@u\ndb.pass=§', 'hibernate.connection.password §', 'quartz.dataSource.d.password : §'],
    ['db.pool.size=10', 'hibernate.connection.password_required false'],
  ],
  [
    'ini',
    ['[database]\nuser = @u\npasswd = §', 'rpcuser=@u\nrpcpassword=§', '[security]\nadmin_password = §'],
    ['[database]\nuser = @u\n;passwd =', '[security]\nallow_embedding = true'],
  ],
  [
    'toml',
    ['[database]\npassword = "§"', '[registries.shop]\ntoken = "§"', 'credential = { user = "@u", pass = "§" }'],
    ['[database]\npassword_env = "DB_PASSWORD"', '[registry]\ntoken-format = "jwt"'],
  ],
  [
    'json',
    ['{"username":"@u","password":"§"}', '{"login":"@u","pass":"§"}', '{"client_id":"web","client_secret":"§"}'],
    ['{"password":{"type":"string","minLength":8}}', '{"grant_type":"password","scope":"all"}'],
  ],
  [
    'form body',
    ['grant_type=password&username=@u&password=§', 'login=@u&passwd=§&submit=1', "curl -d 'user=@u&pass=§' https://@h"],
    ['grant_type=client_credentials&scope=all', 'field=password&sort=asc'],
  ],
  [
    'shell variable',
    ["DB_PASS='§'", 'export ADMIN_PWD=§', 'read -r PASSWORD <<< "§"', 'set MYPASS=§'],
    ['DB_PASS=$(cat /run/pw)', 'export PASSWORD_STORE_DIR=~/.pw', 'read -s -p "Password: " PASSWORD'],
  ],
  [
    'prompt echo',
    ['Enter password for @u: §', 'Password: §\nLogin successful', '[sudo] password for @u: §'],
    ['Enter password for @u: \nLogin failed', '[sudo] password for @u: \nSorry, try again.', 'Password: (hidden)'],
  ],
  [
    'log line',
    ['Connecting as @u with password §', 'new password for @u is §', "login failed for @u (password: '§')"],
    [
      'Connecting as @u with password ****',
      'new password for @u was mailed',
      'login failed for @u (using password: YES)',
    ],
  ],
];

const SYLLABLES =
  'har bor lan tern cop per mel low sil ver bri dge fal con wil low tim ber qua rry mar ble pep per'.split(' ');
const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** The rows of both halves of the places, which share none. The same seed gives the same rows. */
export function placesSet(
  seed: number,
  places: readonly Place[] = PLACES,
): { development: SecretRow[]; heldOut: SecretRow[] } {
  const random = new SeededRandom(seed);
  const pick = <T>(list: ArrayLike<T>): T => list[Math.floor(random.uniform() * list.length)] as T;
  const letters = (alphabet: string, length: number): string => Array.from({ length }, () => pick(alphabet)).join('');
  const words = (count: number): string => Array.from({ length: count }, () => pick(SYLLABLES)).join('');
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const hex = (length: number): string => letters('0123456789abcdef', length);
  /** As people and managers of passwords choose them. */
  const chosen: readonly (() => string)[] = [
    () => letters(ALPHANUMERIC, 16),
    () => `${capital(words(3))}${letters('0123456789', 3)}`,
    () => `${capital(words(2))}${pick('!#%*+')}${letters('0123456789', 2)}${words(1)}`,
    () => `${capital(words(2))}-${words(2)}-${letters('0123456789', 2)}`,
    () => words(3),
  ];
  const formed: Readonly<Record<string, () => string>> = {
    a: () => letters(ALPHANUMERIC, 24),
    b: () => letters(ALPHANUMERIC, 33),
    l: () => letters('abcdefghijkmnopqrstuwxyz13456789', 26),
    h: () => hex(32),
    j: () => `${letters('abcdefghijkmnopqrstuwxyz13456789', 6)}.${letters('abcdefghijkmnopqrstuwxyz13456789', 16)}`,
    s: () => letters('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 32),
    w: () => `${letters(`${ALPHANUMERIC}+/`, 43)}=`,
    u: () => [8, 4, 4, 4, 12].map(hex).join('-'),
  };
  const fill = (text: string, password: () => string): SecretRow => {
    const secrets: string[] = [];
    const user = pick(['ledger', 'shipping', 'deploy', 'reader']);
    const host = `${pick(['db', 'repo', 'queue', 'chat'])}.${pick(['shop', 'books', 'parcels'])}.example.com`;
    const filled = text
      .replaceAll('£', '$')
      .replaceAll('@u', user)
      .replaceAll('@h', host)
      .replace(/§([abhjlsuw])?(?![a-z])|¶/g, (match, form?: string) => {
        const own = form === undefined ? undefined : formed[form];
        const value = match === '¶' ? Buffer.from(`${user}:${password()}`).toString('base64') : (own ?? password)();
        secrets.push(value);
        return value;
      });
    return { text: filled, secrets };
  };
  const rows = (half: number): SecretRow[] =>
    places.flatMap(([, held, without], n) =>
      n % 2 === half
        ? [
            ...chosen.flatMap((password) => held.map((text) => fill(text, password))),
            ...without.flatMap((text) => chosen.map((password) => fill(text, password))),
          ]
        : [],
    );
  return { development: rows(0), heldOut: rows(1) };
}
