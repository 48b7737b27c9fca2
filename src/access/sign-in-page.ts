const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? character);

/** The pages of signing in: no script, no style, nothing from elsewhere. The console has pages that deserve the name. */
export const PAGE_POLICY = "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const page = (content: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Guildbook: sign in</title></head>
<body><main><h1>Guildbook</h1>
${content}
</main></body>
</html>
`;

const form = (label: string, token?: string): string =>
  `<form method="post" action="/sign-in">${
    token === undefined ? '' : `<input type="hidden" name="token" value="${escaped(token)}">`
  }<button>${label}</button></form>`;

/** Opening a link signs nobody in (mail scanners open links): the person presses the button. */
export function signInPage(can: { token?: string; again: boolean; openId: boolean }): string {
  if (can.token !== undefined) return page(form('Sign in', can.token));
  const ways = [
    ...(can.again ? [form('Sign in again')] : []),
    ...(can.openId ? ['<p><a href="/sign-in/oidc">Sign in with your organisation</a></p>'] : []),
  ];
  const none = '<p>Ask an administrator for a link, or make one yourself: <code>guildbook login --browser</code></p>';
  return page(ways.length > 0 ? ways.join('\n') : none);
}

export function signedInPage(name: string, until: string): string {
  return page(`<p>${escaped(name)} is signed in until ${escaped(until)}. <a href="/sign-in">Sign in again</a></p>`);
}
