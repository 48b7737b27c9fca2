import { characterClassChanges, countDigits, isMostlyWords, looksRandom } from './entropy.js';
import { isPlaceholderValue } from './placeholder-values.js';
import type { SecretRule } from './secret-rule.js';

/**
 * A token may not begin inside a word, so that "task-123" contains no `sk-` key. It may begin after an escaped line
 * break (`\n` as two characters), as in JSON inside JSON.
 */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;

/** A token of one provider, recognised by its published prefix. `body` follows the prefix; both are case-sensitive. */
function token(id: string, prefixes: readonly string[], body: string): SecretRule {
  const literal = prefixes.map((prefix) => prefix.replace(/[.]/g, '\\.')).join('|');
  return {
    id,
    keywords: prefixes.map((prefix) => prefix.toLowerCase()),
    pattern: new RegExp(`${START}(?:${literal})${body}`, 'dg'),
    accepts: (secret) => !/x{8}|X{8}|\*{4}/.test(secret),
  };
}

const WORD = '[A-Za-z0-9_-]';

/** True if the part after the prefix is no words or version: `sk-learn-1.2`, `npm_config_cache2`, `hf_hub_v2`. */
function isShortKey(key: string): boolean {
  const body = key.replace(
    /^(?:sk-(?:ant-|proj-|svcacct-|admin-|or-v1-)?|github_pat_|[a-z]{2,4}_(?:live_|test_|pat_)?|[a-z0-9]{2,5}[-.])/,
    '',
  );
  return (
    !isMostlyWords(body) &&
    countDigits(body) >= 2 &&
    /[A-Za-z]/.test(body) &&
    (countDigits(body) >= 3 || characterClassChanges(body) >= 4)
  );
}

/**
 * Token formats that providers publish so that leaks can be found. The patterns are our own and maintained manually.
 */
export const PROVIDER_RULES: readonly SecretRule[] = [
  token('aws-access-key', 'AKIA|ASIA|ABIA|ACCA|A3T'.split('|'), '[A-Z0-9]{12,20}(?![A-Za-z0-9])'),
  // Guildbook's own tokens: a reporter may have them in its environment.
  token('guildbook-token', 'gbo_|gbs_|gbp_|gbt_|gbw_|gbl_'.split('|'), `${WORD}{20,100}`),
  token('github-token', 'ghp_|gho_|ghu_|ghs_|ghr_|github_pat_'.split('|'), '[A-Za-z0-9_]{20,2000}'),
  token(
    'gitlab-token',
    'glpat-|gldt-|glrt-|glrtr-|glcbt-|glptt-|glft-|glffct-|glsoat-|glimt-|glagent-|gloas-'.split('|'),
    '[A-Za-z0-9_.-]{20,2000}',
  ),
  token('anthropic-key', ['sk-ant-'], `${WORD}{16,2000}`),
  token('openai-key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], `${WORD}{16,2000}`),
  { ...token('sk-key', ['sk-'], `${WORD}{20,2000}`), accepts: (secret) => (secret.match(/[0-9]/g)?.length ?? 0) >= 3 },
  token(
    'slack-token',
    'xoxa-|xoxb-|xoxc-|xoxd-|xoxe-|xoxe.xox|xoxo-|xoxp-|xoxr-|xoxs-|xapp-'.split('|'),
    '[A-Za-z0-9%./+=-]{10,2000}',
  ),
  token('slack-webhook', ['https://hooks.slack.com/'], '(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}'),
  token(
    'discord-webhook',
    ['https://discord.com/api/webhooks/', 'https://discordapp.com/api/webhooks/'],
    '[0-9]{10,25}/[A-Za-z0-9_-]{20,120}',
  ),
  {
    // Cut, or made up for a service that imitates the provider. The prefixes occur in no other texts.
    id: 'short-key',
    keywords:
      'sk-|ghp_|gho_|ghs_|ghu_|github_pat_|glpat-|xoxb-|xoxp-|hf_|npm_|sk_live_|sk_test_|rk_live_|dckr_pat_|gsk_|xai-|shpat_|ya29.'.split(
        '|',
      ),
    pattern: new RegExp(
      `${START}(?:sk-(?:ant-|proj-|svcacct-|admin-|or-v1-)?|gh[posu]_|github_pat_|glpat-|xox[bp]-|hf_|npm_|[sr]k_(?:live|test)_|dckr_pat_|gsk_|xai-|shpat_|ya29[.])${WORD}{6,40}(?![A-Za-z0-9_-])`,
      'dg',
    ),
    accepts: isShortKey,
  },
  {
    id: 'telegram-bot-token',
    keywords: [':aa'],
    pattern: new RegExp(`${START}[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}`, 'dg'),
  },
  token('google-api-key', ['AIza'], `${WORD}{30,45}`),
  token('google-oauth', ['ya29.', 'GOCSPX-', '1//0'], `${WORD}{20,2000}`),
  token('npm-token', ['npm_'], '[A-Za-z0-9]{30,64}'),
  token('pypi-token', ['pypi-AgE'], `${WORD}{40,2000}`),
  token(
    'stripe-key',
    'sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_|whsec_'.split('|'),
    '[A-Za-z0-9]{10,2000}',
  ),
  token('sendgrid-key', ['SG.'], '[A-Za-z0-9_-]{16,40}[.][A-Za-z0-9_-]{30,60}'),
  token('twilio-key', ['SK'], '[0-9a-f]{32}(?![A-Za-z0-9])'),
  {
    id: 'facebook-app-token',
    keywords: ['|', '%7c'],
    pattern: /(?<![0-9])[0-9]{15,16}(?:\||%7C)[A-Za-z0-9_-]{27}(?![A-Za-z0-9])/dg,
  },
  token('huggingface-token', ['hf_', 'api_org_'], '[A-Za-z0-9]{30,64}'),
  token('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], '[a-f0-9]{40,80}'),
  token('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], '[A-Fa-f0-9]{24,64}'),
  token('hashicorp-token', ['hvs.', 'hvb.', 'hvr.'], `${WORD}{24,2000}`),
  token('databricks-token', ['dapi'], '[a-f0-9]{32}(?:-[0-9])?'),
  token('age-key', ['AGE-SECRET-KEY-1'], '[A-Z0-9]{50,64}'),
  token('docker-token', ['dckr_pat_', 'dckr_oat_'], `${WORD}{20,64}`),
  token('atlassian-token', ['ATATT3', 'ATCTT3'], '[A-Za-z0-9_=-]{60,250}'),
  token('artifactory-key', ['AKCp'], '[A-Za-z0-9]{60,80}'),
  token('grafana-token', ['glsa_', 'glc_'], '[A-Za-z0-9+/=_]{30,400}'),
  token('dynatrace-token', ['dt0c01.', 'dt0s01.', 'dt0s16.'], '[A-Za-z0-9]{20,30}[.][A-Za-z0-9]{50,70}'),
  token('planetscale-token', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], '[A-Za-z0-9=._-]{28,70}'),
  token('postman-key', ['PMAK-'], '[a-f0-9]{20,30}-[a-f0-9]{30,40}'),
  token('sentry-token', ['sntrys_', 'sntryu_'], '[A-Za-z0-9+/=_]{40,400}'),
  token('tailscale-key', ['tskey-'], '[a-z]{2,12}-[A-Za-z0-9-]{16,80}'),
  token('pulumi-token', ['pul-'], '[a-f0-9]{40}'),
  token('rubygems-key', ['rubygems_'], '[a-f0-9]{40,64}'),
  token('easypost-key', ['EZAK', 'EZTK'], '[A-Za-z0-9]{50,60}(?![A-Za-z0-9/+])'),
  token('square-token', ['sq0atp-', 'sq0csp-', 'EAAA'], `${WORD}{22,70}`),
  token('flutterwave-key', ['FLWSECK_TEST-', 'FLWSECK-'], '[A-Za-z0-9-]{12,70}'),
  token('clojars-token', ['CLOJARS_'], '[A-Za-z0-9]{50,70}'),
  token('readme-key', ['rdme_'], '[a-z0-9]{60,80}'),
  token('model-host-key', 'gsk_|xai-|pplx-|nvapi-|r8_|fw_|csk-|tgp_v1_'.split('|'), `${WORD}{24,200}`),
  token('supabase-token', ['sbp_', 'sb_secret_'], '[A-Za-z0-9_]{20,60}'),
  token('figma-token', ['figd_', 'figo_', 'figu_'], `${WORD}{30,64}`),
  token('openshift-token', ['sha256~'], `${WORD}{40,50}`),
  token('onepassword-token', ['ops_ey'], '[A-Za-z0-9+/=_-]{100,1000}'),
  token('fly-token', ['fo1_', 'fm1r_', 'fm2_'], '[A-Za-z0-9+/=_-]{40,800}'),
  token('sonarqube-token', ['squ_', 'sqp_', 'sqa_'], '[a-f0-9]{40}'),
  // Newer versions of gitleaks than the one in this repository have these rules as well.
  token('artifactory-reference', ['cmVmd'], '[A-Za-z0-9]{59}(?![A-Za-z0-9])'),
  token('aws-bedrock-key', ['ABSK', 'bedrock-api-key-'], '[A-Za-z0-9+/=]{60,400}'),
  { ...token('airtable-token', ['pat'], '[A-Za-z0-9]{14}[.][a-f0-9]{64}'), requires: /[.][a-f0-9]{64}/ },
  token('asana-token', ['0/', '1/', '2/'], '[0-9]{15,20}(?:/[0-9]{15,20})?:[a-f0-9]{32}'),
  token('langsmith-key', ['lsv2_pt_', 'lsv2_sk_'], '[a-f0-9]{32}_[a-f0-9]{10}'),
  token('portainer-token', ['ptr_'], '[A-Za-z0-9/_=+-]{20,60}'),
  token('notion-token', ['ntn_', 'secret_'], '[A-Za-z0-9]{40,60}'),
  token('linear-key', ['lin_api_', 'lin_oauth_'], '[A-Za-z0-9]{30,70}'),
  token('vercel-token', 'vcp_|vci_|vca_|vcr_|vck_'.split('|'), '[A-Za-z0-9]{20,80}'),
  token('cloudflare-token', ['v1.0-', 'cfut_', 'cfat_'], '[A-Za-z0-9_-]{30,200}'),
  token('replicate-or-render', ['rnd_', 'r8_'], '[A-Za-z0-9]{24,60}'),
  token('doppler-token', 'dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.scim.|dp.audit.'.split('|'), '[A-Za-z0-9._-]{30,80}'),
  token('newrelic-key', 'NRAK-|NRII-|NRJS-|NRRA-|NRAA-'.split('|'), '[A-Za-z0-9-]{18,42}'),
  token('sendinblue-key', ['xkeysib-', 'xsmtpsib-'], '[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  token('mailgun-key', ['key-'], '[a-f0-9]{32}(?![a-f0-9])'),
  token('buildkite-token', ['bkua_', 'bkpt_', 'bkaj_', 'bkct_'], '[A-Za-z0-9]{30,60}'),
  token('contentful-token', ['CFPAT-'], `${WORD}{40,50}`),
  token('dynatrace-token', ['dt0c01.', 'dt0s16.'], '[A-Z0-9]{8,24}[.][A-Z0-9]{64}'),
  token('zapier-webhook', ['https://hooks.zapier.com/hooks/catch/'], '[A-Za-z0-9/]{8,60}'),
  token('tavily-key', ['tvly-'], `${WORD}{20,80}`),
  token('firecrawl-key', ['fc-'], '[a-f0-9]{32}(?![a-f0-9])'),
  token('infracost-key', ['ico-'], '[A-Za-z0-9]{32}(?![A-Za-z0-9])'),
  token('sourcegraph-token', ['sgp_', 'slk_'], '[A-Za-z0-9_]{40,100}'),
  token('stackhawk-key', ['hawk.'], '[A-Za-z0-9_-]{20}[.][A-Za-z0-9_-]{20}'),
  token('dependency-track-key', ['odt_'], '[A-Za-z0-9_]{32,60}'),
  token('nuget-key', ['oy2'], '[a-z0-9]{43}(?![a-z0-9])'),
  token('langfuse-key', ['sk-lf-'], '[a-f0-9-]{36}'),
  token('pinecone-key', ['pcsk_'], '[A-Za-z0-9_]{40,80}'),
  token('posthog-key', ['phc_', 'phx_'], '[A-Za-z0-9]{40,50}'),
  token('circleci-token', ['CCIPAT_', 'CCIPRJ_'], '[A-Za-z0-9_]{40,80}'),
  token('bitbucket-token', ['ATBB', 'BBDC-'], '[A-Za-z0-9=+/]{28,50}'),
  token('alibaba-key', ['LTAI'], '[A-Za-z0-9]{12,24}(?![A-Za-z0-9])'),
  token('google-hmac-key', ['GOOG1'], '[A-Z0-9]{19,60}'),
  token('openai-session', ['sess-'], '[A-Za-z0-9]{32,60}'),
  token('jina-key', ['jina_'], '[A-Za-z0-9_-]{40,80}'),
  token('hubspot-token', ['pat-na1-', 'pat-eu1-'], '[a-f0-9-]{36}'),
  {
    id: 'salesforce-session',
    keywords: ['00d'],
    pattern: new RegExp(`${START}00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,200}`, 'dg'),
  },
  token('teamwork-token', ['tkn.v1_'], '[A-Za-z0-9+/=_-]{40,200}'),
];

/**
 * Services whose keys have no form of their own: a hash, an UUID or random letters. Directly after the name of the
 * service such a value is its key. Hosts of code and of logs are not here: what follows their name is a commit or an
 * event.
 */
const SERVICES = `abstractapi adafruit airbrake airtable alchemy algolia alphavantage amplitude apify apollo asana
  assemblyai auth0 aviationstack bannerbear bitfinex bitly blazemeter braintree branchio brandfetch calendly captcha
  chargebee clarifai clearbit clickup clockify cloudflare cloudinary cloudmersive coinapi coinbase coinlayer coinmarketcap
  contentful convertkit cryptocompare currencycloud currencylayer currencyscoop customerio datadog deepgram deepl docusign
  elevenlabs etherscan eventbrite exchangerate fastly finnhub fixer flickr foursquare freshbooks freshdesk fullstory
  geoapify geocodio giphy googlemaps gumroad helpscout heroku hubspot hunterio infura intercom ipapi ipgeolocation ipinfo
  ipstack jotform jumpcloud klaviyo kucoin launchdarkly lemlist lokalise magicbell mailboxlayer mailchimp mailgun
  mailjet mailerlite mandrill mapbox mapquest marketstack mavenlink mediastack messagebird metaapi mixpanel moralis
  mockaroo newsapi nexmo nylas nytimes omnisend onelogin onesignal opencage openweather openweathermap opsgenie
  optimizely pagerduty paydirtapp paymongo paypal paystack pepipost pexels pinboard pipedrive pixabay plaid plivo
  polygonio positionstack postmark prodpad pushbullet pusher quickbooks rapidapi razorpay readme recaptcha rebrandly
  reversecontact rollbar runscope salesflare scraperapi scrapingant scrapingbee screenshotapi segment sendbird sendgrid
  sendinblue serpapi serpstack shippo shodan shutterstock sinch skylight sparkpost splunk spoonacular spotify
  squareup strava surveymonkey tatum telnyx ticketmaster timezoneapi tmdb todoist tomtom trello twelvedata twilio
  typeform unsplash uploadcare urlscan userstack veriphone virustotal visualcrossing vonage wakatime weatherapi
  weatherbit weatherstack webflow websitepulse wistia worldcoinindex wrike yelp zenrows zenserp zendesk zerobounce
  zipcodeapi`.split(/\s+/);

export const NAMED_SERVICE_RULES: readonly SecretRule[] = [
  {
    id: 'service-key',
    keywords: SERVICES,
    window: { before: 30, after: 60 },
    pattern: new RegExp(
      String.raw`(?<![A-Za-z0-9])(?:${SERVICES.join('|')})(?:[_. -]?(?:access|private|live|test|prod|id|app|client|api|key|secret|token|auth)){0,3}[ \t]{0,3}['"\x60]?[ \t]{0,3}(?::|=|=>|:=|[ \t])[ \t]{0,3}['"\x60]?([A-Za-z0-9_-]{12,128})(?![A-Za-z0-9_/-])`,
      'dgi',
    ),
    accepts: (value) => !isPlaceholderValue(value) && looksRandom(value),
  },
];
