import type { Danger } from './danger.js';

/** Code in `python -c`, `node -e` and the like that turns the check of a certificate off, with its library. */
const CODE_FORMS: readonly (readonly [program: string, form: string, RegExp])[] = [
  // https://requests.readthedocs.io/en/latest/user/advanced/#ssl-cert-verification
  ['python', 'verify=False', /\bverify(?:_ssl|_certs?)?[ \t]{0,3}=[ \t]{0,3}False\b/],
  // https://docs.python.org/3/library/ssl.html
  ['python', 'ssl._create_unverified_context', /\b_create_unverified_context\b/],
  ['python', 'ssl.CERT_NONE', /\bCERT_NONE\b/],
  ['python', 'check_hostname = False', /\bcheck_hostname[ \t]{0,3}=[ \t]{0,3}False\b/],
  // https://nodejs.org/api/tls.html#tlsconnectoptions-callback
  ['node', 'rejectUnauthorized: false', /\brejectUnauthorized['"]?[ \t]{0,3}[:=][ \t]{0,3}(?:false|0)\b/],
  // https://pkg.go.dev/crypto/tls#Config
  ['go', 'InsecureSkipVerify: true', /\bInsecureSkipVerify[ \t]{0,3}[:=][ \t]{0,3}true\b/],
  // https://docs.ruby-lang.org/en/master/OpenSSL/SSL.html
  ['ruby', 'OpenSSL::SSL::VERIFY_NONE', /\bVERIFY_NONE\b/],
  // https://www.php.net/manual/en/function.curl-setopt.php
  [
    'php',
    'CURLOPT_SSL_VERIFYPEER, false',
    /\bCURLOPT_SSL_VERIFY(?:PEER|HOST)['"]?[ \t]{0,3}(?:,|=>?)[ \t]{0,3}(?:false|0)\b/i,
  ],
  // https://learn.microsoft.com/dotnet/api/system.net.servicepointmanager.servercertificatevalidationcallback
  ['powershell', 'ServerCertificateValidationCallback', /\bServerCertificateValidationCallback\b/i],
];

/** Returns the dangers of program code in a text. */
export function dangersInCode(text: string): Danger[] {
  return CODE_FORMS.filter(([, , pattern]) => pattern.test(text)).map(([program, form]) => ({
    class: 'protection',
    program,
    form,
  }));
}
