import { characterClassChanges, countDigits, isMostlyWords, looksRandom } from './entropy.js';
import { isPlaceholderValue } from './placeholder-values.js';
import type { SecretRule } from './secret-rule.js';

/**
 * A token may not begin inside a word, so that "task-123" contains no `sk-` key. It may begin after an escaped line
 * break (`\n` as two characters), as in JSON inside JSON.
 */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;

/**
 * A token of one provider, recognised by its published prefixes, separated by bars. `body` follows the prefix; both are
 * case-sensitive.
 */
function token(id: string, prefixes: string, body: string): SecretRule {
  return {
    id,
    keywords: prefixes.toLowerCase().split('|'),
    pattern: new RegExp(`${START}(?:${prefixes.replace(/[.]/g, '[.]')})${body}`, 'dg'),
    accepts: (secret) => !/x{8}|X{8}|\*{4}/.test(secret),
  };
}

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
 * Token formats that providers publish so that leaks can be found. The patterns are our own and maintained manually: the
 * name of a token, its prefixes, and the rest of it.
 */
const TOKENS = String.raw`
  aws-access-key        AKIA|ASIA|ABIA|ACCA|A3T              [A-Z0-9]{12,20}(?![A-Za-z0-9])
  guildbook-token       gbo_|gbs_|gbp_|gbt_|gbw_|gbl_        [\w-]{20,100}
  github-token          ghp_|gho_|ghu_|ghs_|ghr_|github_pat_ [A-Za-z0-9_]{20,2000}
  gitlab-token          glpat-|gldt-|glrt-|glrtr-|glcbt-|glptt-|glft-|glffct-|glsoat-|glimt-|glagent-|gloas- [A-Za-z0-9_.-]{20,2000}
  anthropic-key         sk-ant-                              [\w-]{16,2000}
  openai-key            sk-proj-|sk-svcacct-|sk-admin-|sk-None- [\w-]{16,2000}
  slack-token           xoxa-|xoxb-|xoxc-|xoxd-|xoxe-|xoxe.xox|xoxo-|xoxp-|xoxr-|xoxs-|xapp- [A-Za-z0-9%./+=-]{10,2000}
  slack-webhook         https://hooks.slack.com/             (?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}
  discord-webhook       https://discord.com/api/webhooks/|https://discordapp.com/api/webhooks/ [0-9]{10,25}/[\w-]{20,120}
  google-api-key        AIza                                 [\w-]{30,45}
  google-oauth          ya29.|GOCSPX-|1//0                   [\w-]{20,2000}
  npm-token             npm_                                 [A-Za-z0-9]{30,64}
  pypi-token            pypi-AgE                             [\w-]{40,2000}
  stripe-key            sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_|whsec_ [A-Za-z0-9]{10,2000}
  sendgrid-key          SG.                                  [\w-]{16,40}[.][\w-]{30,60}
  twilio-key            SK                                   [0-9a-f]{32}(?![A-Za-z0-9])
  huggingface-token     hf_|api_org_                         [A-Za-z0-9]{30,64}
  digitalocean-token    dop_v1_|doo_v1_|dor_v1_              [a-f0-9]{40,80}
  shopify-token         shpat_|shpca_|shppa_|shpss_          [A-Fa-f0-9]{24,64}
  hashicorp-token       hvs.|hvb.|hvr.                       [\w-]{24,2000}
  databricks-token      dapi                                 [a-f0-9]{32}(?:-[0-9])?
  age-key               AGE-SECRET-KEY-1                     [A-Z0-9]{50,64}
  docker-token          dckr_pat_|dckr_oat_                  [\w-]{20,64}
  atlassian-token       ATATT3|ATCTT3                        [A-Za-z0-9_=-]{60,250}
  artifactory-key       AKCp                                 [A-Za-z0-9]{60,80}
  grafana-token         glsa_|glc_                           [A-Za-z0-9+/=_]{30,400}
  dynatrace-token       dt0c01.|dt0s01.|dt0s16.              [A-Za-z0-9]{20,30}[.][A-Za-z0-9]{50,70}
  planetscale-token     pscale_tkn_|pscale_pw_|pscale_oauth_ [A-Za-z0-9=._-]{28,70}
  postman-key           PMAK-                                [a-f0-9]{20,30}-[a-f0-9]{30,40}
  sentry-token          sntrys_|sntryu_                      [A-Za-z0-9+/=_]{40,400}
  tailscale-key         tskey-                               [a-z]{2,12}-[A-Za-z0-9-]{16,80}
  pulumi-token          pul-                                 [a-f0-9]{40}
  rubygems-key          rubygems_                            [a-f0-9]{40,64}
  easypost-key          EZAK|EZTK                            [A-Za-z0-9]{50,60}(?![A-Za-z0-9/+])
  square-token          sq0atp-|sq0csp-|EAAA                 [\w-]{22,70}
  flutterwave-key       FLWSECK_TEST-|FLWSECK-               [A-Za-z0-9-]{12,70}
  clojars-token         CLOJARS_                             [A-Za-z0-9]{50,70}
  readme-key            rdme_                                [a-z0-9]{60,80}
  model-host-key        gsk_|xai-|pplx-|nvapi-|r8_|fw_|csk-|tgp_v1_ [\w-]{24,200}
  supabase-token        sbp_|sb_secret_                      [A-Za-z0-9_]{20,60}
  figma-token           figd_|figo_|figu_                    [\w-]{30,64}
  openshift-token       sha256~                              [\w-]{40,50}
  onepassword-token     ops_ey                               [A-Za-z0-9+/=_-]{100,1000}
  fly-token             fo1_|fm1r_|fm2_                      [A-Za-z0-9+/=_-]{40,800}
  sonarqube-token       squ_|sqp_|sqa_                       [a-f0-9]{40}
  artifactory-reference cmVmd                                [A-Za-z0-9]{59}(?![A-Za-z0-9])
  aws-bedrock-key       ABSK|bedrock-api-key-                [A-Za-z0-9+/=]{60,400}
  asana-token           0/|1/|2/                             [0-9]{15,20}(?:/[0-9]{15,20})?:[a-f0-9]{32}
  langsmith-key         lsv2_pt_|lsv2_sk_                    [a-f0-9]{32}_[a-f0-9]{10}
  portainer-token       ptr_                                 [A-Za-z0-9/_=+-]{20,60}
  notion-token          ntn_|secret_                         [A-Za-z0-9]{40,60}
  linear-key            lin_api_|lin_oauth_                  [A-Za-z0-9]{30,70}
  vercel-token          vcp_|vci_|vca_|vcr_|vck_             [A-Za-z0-9]{20,80}
  cloudflare-token      v1.0-|cfut_|cfat_                    [\w-]{30,200}
  replicate-or-render   rnd_|r8_                             [A-Za-z0-9]{24,60}
  doppler-token         dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.scim.|dp.audit. [A-Za-z0-9._-]{30,80}
  newrelic-key          NRAK-|NRII-|NRJS-|NRRA-|NRAA-        [A-Za-z0-9-]{18,42}
  sendinblue-key        xkeysib-|xsmtpsib-                   [a-f0-9]{64}-[A-Za-z0-9]{16}
  mailgun-key           key-                                 [a-f0-9]{32}(?![a-f0-9])
  buildkite-token       bkua_|bkpt_|bkaj_|bkct_              [A-Za-z0-9]{30,60}
  contentful-token      CFPAT-                               [\w-]{40,50}
  dynatrace-token       dt0c01.|dt0s16.                      [A-Z0-9]{8,24}[.][A-Z0-9]{64}
  zapier-webhook        https://hooks.zapier.com/hooks/catch/ [A-Za-z0-9/]{8,60}
  tavily-key            tvly-                                [\w-]{20,80}
  firecrawl-key         fc-                                  [a-f0-9]{32}(?![a-f0-9])
  infracost-key         ico-                                 [A-Za-z0-9]{32}(?![A-Za-z0-9])
  sourcegraph-token     sgp_|slk_                            [A-Za-z0-9_]{40,100}
  stackhawk-key         hawk.                                [\w-]{20}[.][\w-]{20}
  dependency-track-key  odt_                                 [A-Za-z0-9_]{32,60}
  nuget-key             oy2                                  [a-z0-9]{43}(?![a-z0-9])
  langfuse-key          sk-lf-                               [a-f0-9-]{36}
  pinecone-key          pcsk_                                [A-Za-z0-9_]{40,80}
  posthog-key           phc_|phx_                            [A-Za-z0-9]{40,50}
  circleci-token        CCIPAT_|CCIPRJ_                      [A-Za-z0-9_]{40,80}
  bitbucket-token       ATBB|BBDC-                           [A-Za-z0-9=+/]{28,50}
  alibaba-key           LTAI                                 [A-Za-z0-9]{12,24}(?![A-Za-z0-9])
  google-hmac-key       GOOG1                                [A-Z0-9]{19,60}
  openai-session        sess-                                [A-Za-z0-9]{32,60}
  jina-key              jina_                                [\w-]{40,80}
  hubspot-token         pat-na1-|pat-eu1-                    [a-f0-9-]{36}
  teamwork-token        tkn.v1_                              [A-Za-z0-9+/=_-]{40,200}
  salesforce-session    00D                                  [A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,200}
`;

export const PROVIDER_RULES: readonly SecretRule[] = [
  ...TOKENS.trim()
    .split('\n')
    .map((row) => {
      const [id = '', prefixes = '', body = ''] = row.trim().split(/ +/);
      return token(id, prefixes, body);
    }),
  { ...token('airtable-token', 'pat', '[A-Za-z0-9]{14}[.][a-f0-9]{64}'), requires: /[.][a-f0-9]{64}/ },
  { ...token('sk-key', 'sk-', String.raw`[\w-]{20,2000}`), accepts: (secret) => countDigits(secret) >= 3 },
  {
    // Cut, or made up for a service that imitates the provider. The prefixes occur in no other texts.
    ...token(
      'short-key',
      'sk-|sk-ant-|sk-proj-|sk-svcacct-|sk-admin-|sk-or-v1-|ghp_|gho_|ghs_|ghu_|github_pat_|glpat-|xoxb-|xoxp-|hf_|npm_|sk_live_|sk_test_|rk_live_|rk_test_|dckr_pat_|gsk_|xai-|shpat_|ya29.',
      String.raw`[\w-]{6,40}(?![\w-])`,
    ),
    accepts: isShortKey,
  },
  {
    id: 'telegram-bot-token',
    keywords: [':aa'],
    pattern: new RegExp(`${START}[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}`, 'dg'),
  },
  {
    id: 'facebook-app-token',
    keywords: ['|', '%7c'],
    pattern: /(?<![0-9])[0-9]{15,16}(?:\||%7C)[A-Za-z0-9_-]{27}(?![A-Za-z0-9])/dg,
  },
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
