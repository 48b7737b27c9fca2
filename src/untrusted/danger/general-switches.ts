import type { DangerousForms } from './danger.js';

const OFF = '(false|0|no|off)';

/** Switches that mean the same in every program that has them, and the files whose change has the same effect. */
export const GENERAL_SWITCHES: readonly DangerousForms[] = [
  {
    programs: '*',
    source: 'the pages of the programs in the other lists, which agree on these names',
    // `--no-audit` is not here: outside package programs, which list it, it may mean a log
    check: [
      '--no-verify,--skip-verify,--no-verification,--skip-verification',
      '--no-test,--no-tests,--notest,--skip-test,--skip-tests,--skip-test-*,--skip-tests-*,--skip-*-test,--skip-*-tests',
      '--no-check,--no-checks,--nocheck,--skip-check,--skip-checks',
      '--no-lint,--no-lints,--no-linting,--no-linter,--skip-lint,--skip-lints,--skip-linting',
      '--no-typecheck,--no-type-check,--skip-typecheck,--skip-type-check',
      '--skip-validation,--no-validate,--no-validation',
      '--passwithnotests,--pass-with-no-tests',
      '--skip-hooks,--no-hooks',
      '--ignore-test-failures,--ignore-failures',
    ],
    protection: [
      '--dangerously-*,--allow-dangerously-*,--unsafely-*',
      '--insecure,--allow-insecure,--insecure-*',
      '--no-check-certificate,--no-check-certificates,--ignore-certificate-errors,--ignore-ssl-errors,--trust-all-certificates',
      '--no-verify-ssl,--no-ssl-verify,--skip-ssl-verify,--skip-ssl-validation,--no-verify-tls,--tls-skip-verify,--skip-tls-verify',
      '--disable-ssl,--disable-tls,--no-ssl,--no-tls',
      `--verify-ssl,--ssl-verify,--verify-tls,--tls-verify,--strict-ssl,--check-certificate=${OFF}`,
      '--trusted-host,--allow-unauthenticated,--allow-untrusted,--no-gpg-check,--nogpgcheck,--skip-signature-check',
      '--no-sandbox,--disable-sandbox,--skip-permissions,--bypass-permissions,--yolo,--trust-all-tools',
      '--privileged',
      '--no-preserve-root',
    ],
    foreign: [
      '--index-url,--extra-index-url,--registry,--registry-url,--repository-url,--find-links',
      '--token --server',
      '--api-key --server,--api-url,--base-url,--endpoint,--host',
      '--endpoint-url,--api-url,--api-base,--base-url=(http*|[url]*)',
      '--kubeconfig',
    ],
    variables: {
      source: [
        'HTTP_PROXY',
        'HTTPS_PROXY',
        'ALL_PROXY',
        'LD_PRELOAD',
        'LD_AUDIT',
        'DYLD_INSERT_LIBRARIES',
        'BASH_ENV',
        'PROMPT_COMMAND',
      ],
      protection: [
        'SSL_VERIFY=(0|false|no|off)',
        'VERIFY_SSL=(0|false|no|off)',
        'TLS_VERIFY=(0|false|no|off)',
        'INSECURE=(1|true|yes|on)',
        'SKIP_TLS_VERIFY',
        'CURL_INSECURE',
      ],
      check: ['SKIP_TESTS', 'SKIP_HOOKS', 'SKIP_CHECKS', 'NO_VERIFY'],
    },
  },
  {
    programs: '> tee cp mv ln install sed',
    source:
      'man sudoers, man sshd, man hosts, man resolv.conf, man netrc, man sources.list, and the pages of the package programs',
    protection: [
      '@(*/etc/sudoers*|*/sudoers|*/sudoers.d/*|*/etc/pam.d/*|*/etc/ssh/sshd_config*|/dev/(sd*|nvme*|vd*|hd*)|*/etc/passwd|*/etc/shadow|*/proc/sys/(kernel|net|fs)/*|*/etc/hosts.allow|*/etc/selinux/*)',
    ],
    foreign: [
      '@(*authorized_keys|*/etc/hosts|*/hosts.equiv|*.rhosts|*/resolv.conf|*.npmrc|*.yarnrc|*.yarnrc.yml|*pip.conf|*.pypirc|*.netrc|*.git-credentials|*sources.list*|*/yum.repos.d/*|*/apt/trusted*|*.ssh/config|*/.kube/config|*.docker/config.json|*ca-certificates*.crt|*/cron.d/*|*/crontab|*.gemrc|*/.cargo/credentials*)',
    ],
  },
];
