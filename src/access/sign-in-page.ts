const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? character);

/** The pages of signing in: no script, and no style but the console's, which is served to everybody. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const page = (content: string, head = ''): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Guildbook: sign in</title>${head}
<link rel="icon" href="/console/guildbook.svg"><link rel="stylesheet" href="/console/console.css"></head>
<body><main><section class="card narrow"><h1>Guildbook</h1>
${content}
</section></main></body>
</html>
`;

const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escaped(value)}">`;

const form = (label: string, to: string, token?: string): string =>
  `<form method="post" action="/sign-in">${token === undefined ? '' : hidden('token', token)}${hidden('to', to)}<button class="primary" autofocus>${label}</button></form>`;

/** Opening a link signs nobody in (mail scanners open links): the person presses the button. `to` is a page of ours. */
export function signInPage(can: { token?: string; again: boolean; openId: boolean; to: string }): string {
  if (can.token !== undefined) return page(form('Sign in', can.to, can.token));
  const oidc = `/sign-in/oidc?to=${encodeURIComponent(can.to)}`;
  const ways = [
    ...(can.again ? [form('Sign in again', can.to)] : []),
    ...(can.openId ? [`<p><a class="button" href="${escaped(oidc)}">Sign in with your organisation</a></p>`] : []),
  ];
  const none = '<p>Ask an administrator for a link, or make one yourself: <code>guildbook login --browser</code></p>';
  return page(ways.length > 0 ? ways.join('\n') : none);
}

/** Goes on by itself where `to` says so: a redirect would come from the provider's site, and so without our cookies. */
export function signedInPage(name: string, until: string, to?: string): string {
  const says = `${escaped(name)} is signed in until ${escaped(until)}. <a href="/sign-in">Sign in again</a>`;
  const head = to === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escaped(to)}">`;
  return page(`<p>${says}</p><p><a class="button primary" href="${escaped(to ?? '/')}">Go on</a></p>`, head);
}
