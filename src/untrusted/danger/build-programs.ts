import type { DangerousForms } from './danger.js';

const OFF = '(false|0|no|off)';

/** Compilers and build tools. */
export const BUILD_PROGRAMS: readonly DangerousForms[] = [
  {
    programs: 'cargo',
    source: 'https://doc.rust-lang.org/cargo/reference/config.html',
    check: ['publish|package --no-verify', 'publish --allow-dirty', 'clippy --cap-lints', '--ignore-rust-version'],
    protection: [`--config=http.check-revoke=${OFF}`],
    foreign: [
      '--registry',
      '--index',
      '--config=(source.*|registr*|net.*|build.rustc-wrapper*|patch.*|http.proxy*)',
      'install|add --git',
      'login',
    ],
    variables: {
      protection: ['CARGO_HTTP_CHECK_REVOKE=false', 'RUSTC_BOOTSTRAP=1'],
      source: [
        'CARGO_REGISTRY_TOKEN',
        'CARGO_REGISTRY_DEFAULT',
        'CARGO_HTTP_PROXY',
        'RUSTC_WRAPPER',
        'CARGO_BUILD_RUSTC_WRAPPER',
        'CARGO_SOURCE_CRATES_IO_REPLACE_WITH',
      ],
    },
  },
  {
    programs: 'rustup',
    source: 'https://rust-lang.github.io/rustup/environment-variables.html',
    check: ['--force-non-host'],
    variables: { source: ['RUSTUP_DIST_SERVER', 'RUSTUP_UPDATE_ROOT'] },
  },
  {
    programs: 'go',
    source: 'https://go.dev/ref/mod#environment-variables, https://pkg.go.dev/cmd/go',
    hasSingleHyphen: true,
    check: ['test --vet=off', 'test --run=(^$|xxx|none)'],
    protection: ['get --insecure', 'env -w @(gosumdb=off|goinsecure=*|gonosumdb=*|goprivate=*|goflags=*insecure*)'],
    foreign: [
      'env -w @(goproxy=*|gosumdb=*|govcs=*|goauth=*|gonoproxy=*)',
      'mod edit --replace',
      '--toolexec',
      '--overlay',
    ],
    variables: {
      protection: ['GOINSECURE', 'GONOSUMDB', 'GONOSUMCHECK', 'GOSUMDB=off', 'GOFLAGS=*insecure*', 'GOPRIVATE'],
      source: ['GOPROXY', 'GOSUMDB', 'GOVCS', 'GONOPROXY', 'GOAUTH'],
    },
  },
  {
    programs: 'mvn mvnw mvnd',
    source: 'https://maven.apache.org/ref/current/maven-embedder/cli.html',
    check: [
      '-D=(skiptests*|skipits*|maven.test.skip*|maven.test.failure.ignore*|*.skip=true|*.skip|failifnotests=false|surefire.failifnospecifiedtests=false)',
      '-fn,--fail-never',
      '-c,--lax-checksums',
    ],
    protection: [
      '-D=(maven.wagon.http.ssl.insecure*|maven.wagon.http.ssl.allowall*|maven.wagon.http.ssl.ignore*|*checksumpolicy=ignore)',
    ],
    foreign: [
      '-s,-gs,--settings,--global-settings',
      '-D=(altdeploymentrepository*|remoterepositories*|repositoryurl*|http.proxyhost*|https.proxyhost*)',
    ],
    variables: { source: ['MAVEN_OPTS=*proxyhost*', 'MVNW_REPOURL'] },
  },
  {
    programs: 'gradle gradlew',
    source: 'https://docs.gradle.org/current/userguide/command_line_interface.html',
    check: ['-x,--exclude-task=(*test*|*check*|*lint*|*verify*)', '-D=skiptests*'],
    protection: [
      '-F,--dependency-verification=(off|lenient)',
      '-D=(org.gradle.dependency.verification=(off|lenient)|*trustall*)',
    ],
    foreign: [
      '-I,--init-script',
      '--include-build',
      '-D=(*proxyhost*|gradle.user.home*|javax.net.ssl.truststore*)',
      'wrapper --gradle-distribution-url',
    ],
    variables: { source: ['GRADLE_OPTS=*proxyhost*', 'GRADLE_USER_HOME'] },
  },
  {
    programs: 'make gmake',
    source: 'man make (GNU)',
    check: ['-i,--ignore-errors'],
    foreign: ['@SHELL=*'],
    variables: { source: ['MAKEFILES'] },
  },
  {
    programs: 'cmake',
    source: 'https://cmake.org/cmake/help/latest/manual/cmake.1.html',
    protection: [`-D=cmake_tls_verify=${OFF}`],
    foreign: ['-D=fetchcontent_source_dir*', '-D=cmake_toolchain_file=*', '-D=cmake_project_top_level_includes=*'],
    variables: { protection: ['CMAKE_TLS_VERIFY=(0|off|false)'] },
  },
  {
    programs: 'bazel bazelisk',
    source: 'https://bazel.build/reference/command-line-reference',
    check: ['--nocheck_visibility', '--check_visibility=(false|0)'],
    protection: ['--spawn_strategy=(local|standalone)', '--strategy=*=local', '--sandbox_default_allow_network'],
    foreign: [
      '--registry',
      '--override_repository,--override_module',
      '--remote_cache,--remote_executor',
      '--distdir',
      '--credential_helper',
    ],
    variables: { source: ['BAZELISK_BASE_URL'] },
  },
  {
    programs: 'java javaw',
    source: 'https://docs.oracle.com/en/java/javase/21/docs/specs/man/java.html',
    hasSingleHyphen: true,
    check: ['-Xverify=none', '-Xverify:none', '-noverify', '-da,-disableassertions'],
    protection: [
      '-D=(com.sun.net.ssl.checkrevocation=false|jdk.internal.httpclient.disablehostnameverification*|*trusturlcodebase=true|java.security.policy*|*trustall*)',
      '--illegal-access=permit',
    ],
    foreign: ['-javaagent*', '-agentpath*', '-D=(*proxyhost*|javax.net.ssl.truststore*)'],
    variables: { source: ['JAVA_TOOL_OPTIONS', '_JAVA_OPTIONS', 'JDK_JAVA_OPTIONS'] },
  },
  {
    programs: 'keytool',
    source: 'https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html',
    hasSingleHyphen: true,
    check: ['-noprompt'],
    foreign: ['-importcert,-import,-importkeystore'],
  },
  {
    programs: 'node nodejs tsx ts-node',
    source: 'https://nodejs.org/api/cli.html, https://typestrong.org/ts-node/docs/options',
    check: ['-T,--transpile-only,--transpileonly', '--unhandled-rejections=(none|warn)', '--test-skip-pattern'],
    protection: [
      '--tls-min-v1.0,--tls-min-v1.1',
      '--insecure-http-parser',
      '--openssl-legacy-provider',
      '--security-revert',
      '--inspect=0.0.0.0*',
      '--allow-child-process,--allow-addons',
    ],
    foreign: [
      '--use-openssl-ca',
      '--openssl-config',
      '--import=(http*|data:*)',
      '--experimental-network-imports',
      '--experimental-loader=http*',
    ],
    variables: {
      protection: ['NODE_TLS_REJECT_UNAUTHORIZED=0', 'NODE_OPTIONS=*(insecure|legacy-provider|tls-min)*'],
      source: ['NODE_EXTRA_CA_CERTS', 'NVM_NODEJS_ORG_MIRROR', 'ELECTRON_MIRROR'],
    },
  },
  {
    programs: 'deno',
    source: 'https://docs.deno.com/runtime/fundamentals/security/',
    check: ['--no-check', '--no-lock'],
    protection: [
      '-A,--allow-all',
      '--unsafely-ignore-certificate-errors',
      '--allow-run',
      '--allow-ffi',
      '--allow-scripts',
    ],
    foreign: ['--import-map=(http*|[url]*)', '--cert', 'run|install @(http://*|https://*|[url]*)'],
    variables: { protection: ['DENO_TLS_CA_STORE'], source: ['DENO_AUTH_TOKENS', 'DENO_CERT', 'JSR_URL'] },
  },
  {
    programs: 'python python2 python3 pypy pypy3 py',
    source: 'https://docs.python.org/3/using/cmdline.html, https://requests.readthedocs.io',
    check: ['-O,-OO'],
    variables: {
      check: ['PYTHONOPTIMIZE'],
      protection: ['PYTHONHTTPSVERIFY=0'],
      source: [
        'PYTHONSTARTUP',
        'SSL_CERT_FILE',
        'SSL_CERT_DIR',
        'REQUESTS_CA_BUNDLE',
        'HF_ENDPOINT',
        'OPENAI_BASE_URL',
        'OPENAI_API_BASE',
        'ANTHROPIC_BASE_URL',
      ],
    },
  },
];
