import type { SecretRow } from './secret-corpus.js';
import { SeededRandom } from './seeded-random.js';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  a: LOWER + LOWER.toUpperCase() + DIGITS,
  b: `${LOWER}${LOWER.toUpperCase()}${DIGITS}+/`,
  u: `${LOWER}${LOWER.toUpperCase()}${DIGITS}-_`,
  l: LOWER + DIGITS,
  U: LOWER.toUpperCase() + DIGITS,
  h: `${DIGITS}abcdef`,
  d: DIGITS,
};

/**
 * Secret formats as providers document them: a name, and the value with `{alphabet:length}` for random parts.
 * Alphabets: a letters and digits, b base64, u URL-safe base64, l lower case and digits, U upper case and digits, h
 * hexadecimal, d digits. Generated at run time, so that no file contains a text that looks like a key.
 */
const FORMATS: readonly (readonly [name: string, value: string])[] = [
  ['aws_access_key_id', 'AKIA{U:16}'],
  ['aws_secret_access_key', '{b:40}'],
  ['github_token', 'ghp_{a:36}'],
  ['github_pat', 'github_pat_{a:22}_{a:59}'],
  ['gitlab_token', 'glpat-{u:20}'],
  ['slack_bot_token', 'xoxb-{d:12}-{d:12}-{a:24}'],
  ['slack_webhook', 'https://hooks.slack.com/services/T{U:8}/B{U:8}/{a:24}'],
  ['stripe_key', 'sk_live_{a:24}'],
  ['google_api_key', 'AIza{u:35}'],
  ['gcp_oauth_secret', 'GOCSPX-{u:28}'],
  ['openai_api_key', 'sk-proj-{u:64}'],
  ['anthropic_api_key', 'sk-ant-api03-{u:93}AA'],
  ['npm_token', 'npm_{a:36}'],
  ['pypi_token', 'pypi-AgEIcHlwaS5vcmc{u:80}'],
  ['huggingface_token', 'hf_{a:34}'],
  ['sendgrid_key', 'SG.{u:22}.{u:43}'],
  ['mailgun_key', 'key-{h:32}'],
  ['twilio_auth_token', '{h:32}'],
  ['telegram_bot', '{d:10}:AA{u:33}'],
  ['discord_bot_token', 'MT{a:24}.{u:6}.{u:38}'],
  ['digitalocean_token', 'dop_v1_{h:64}'],
  ['linode_token', '{h:64}'],
  ['hetzner_token', '{a:64}'],
  ['netlify_token', 'nfp_{a:36}'],
  ['vercel_token', '{a:24}'],
  ['heroku_api_key', '{h:8}-{h:4}-{h:4}-{h:4}-{h:12}'],
  ['fastly_token', '{u:32}'],
  ['cloudflare_api_token', '{u:40}'],
  ['datadog_api_key', '{h:32}'],
  ['datadog_app_key', '{h:40}'],
  ['newrelic_key', 'NRAK-{U:27}'],
  ['grafana_token', 'glsa_{a:32}_{h:8}'],
  ['sentry_auth_token', 'sntrys_{b:100}'],
  ['pagerduty_token', 'u+{u:18}'],
  ['algolia_admin_key', '{h:32}'],
  ['mapbox_token', 'sk.eyJ{a:80}.{u:22}'],
  ['airtable_token', 'pat{a:14}.{h:64}'],
  ['notion_token', 'ntn_{a:46}'],
  ['linear_key', 'lin_api_{a:40}'],
  ['figma_token', 'figd_{u:40}'],
  ['postman_key', 'PMAK-{h:24}-{h:34}'],
  ['shopify_token', 'shpat_{h:32}'],
  ['square_token', 'EAAA{u:60}'],
  ['paypal_client_secret', 'E{u:79}'],
  ['braintree_token', 'access_token_production_{l:16}_{h:32}'],
  ['plaid_secret', '{h:30}'],
  ['okta_token', '00{u:40}'],
  ['auth0_client_secret', '{u:64}'],
  ['azure_storage_key', '{b:86}=='],
  ['azure_client_secret', '{a:3}8Q~{u:34}'],
  ['databricks_token', 'dapi{h:32}'],
  ['snowflake_password', '{a:14}!'],
  ['vault_token', 'hvs.{u:90}'],
  ['terraform_token', '{a:14}.atlasv1.{u:67}'],
  ['pinecone_key', 'pcsk_{a:6}_{a:63}'],
  ['cohere_key', '{a:40}'],
  ['elevenlabs_key', 'sk_{h:48}'],
  ['replicate_token', 'r8_{a:37}'],
  ['deepgram_key', '{h:40}'],
  ['mongodb_uri', 'mongodb+srv://books:{a:16}@cluster0.{l:5}.mongodb.net/shop'],
  ['redis_url', 'redis://:{a:24}@cache.internal:6379/0'],
  ['amqp_url', 'amqps://ledger:{a:18}@queue.internal:5671/main'],
  ['session_secret', '{h:64}'],
  ['jwt_signing_key', '{b:43}='],
  ['db_password', '{a:10}#{d:2}{a:3}'],
  ['docker_token', 'dckr_pat_{u:27}'],
];

/** Contexts in which agents see such values: files, commands, logs, responses and sentences. */
const CONTEXTS: readonly ((name: string, value: string) => string)[] = [
  (name, value) => `PORT=8080\n${name.toUpperCase()}=${value}\nLOG_LEVEL=info\n`,
  (name, value) => `export ${name.toUpperCase()}="${value}" && make deploy`,
  (name, value) => JSON.stringify({ service: 'books', [name]: value, retries: 3 }, undefined, 2),
  (name, value) => `config:\n  region: eu-west-1\n  ${name}: ${value}\n  debug: false\n`,
  (name, value) => `client = Client(timeout=30, ${name}='${value}')`,
  (name, value) => `[INFO] starting\n[DEBUG] using ${name}=${value}\n[INFO] 200 OK`,
  (name, value) => `401 Unauthorized: the ${name.replaceAll('_', ' ')} ${value} was refused`,
  (name, value) => `<credential>\n  <id>${name}</id>\n  <secret>${value}</secret>\n</credential>`,
  (_, value) => `curl -s -H "X-Api-Key: ${value}" https://api.example.com/v1/items`,
  (name, value) => `{"error":"bad request","request":"{\\"${name}\\":\\"${value}\\"}"}`,
];

/** Every format in every context, in two halves that share neither. The same seed gives the same rows. */
export function freshSet(seed: number): { development: SecretRow[]; heldOut: SecretRow[] } {
  const random = new SeededRandom(seed);
  const fill = (value: string): string =>
    value.replace(/\{(\w):(\d+)\}/g, (_, alphabet: string, length: string) => {
      const letters = ALPHABETS[alphabet] ?? '';
      return Array.from({ length: Number(length) }, () => letters[Math.floor(random.uniform() * letters.length)]).join(
        '',
      );
    });
  const rows = (half: number): SecretRow[] =>
    FORMATS.flatMap(([name, format], n) =>
      n % 2 !== half
        ? []
        : CONTEXTS.flatMap((setting, m) => {
            if (m % 2 !== half) return [];
            const value = fill(format);
            return [{ text: setting(name, value), secrets: [value] }];
          }),
    );
  return { development: rows(0), heldOut: rows(1) };
}
