/**
 * The TypeScript half of the made-up fleet. One entry is one project, and one project is one agent. `files` are the
 * snippets that the agent reads and edits; `edit` is a pair of an existing line and its replacement.
 */
export const NODE_PROJECTS = {
  'checkout-api': {
    user: 'miraoktay',
    cwd: '/Users/miraoktay/code/checkout-api',
    model: 'claude-sonnet-5-5',
    test: ['npm test', 'Test Suites: 14 passed, 14 total\nTests:       121 passed, 121 total'],
    lint: ['npm run lint', 'Checked 88 files in 41ms. No fixes applied.'],
    files: [
      {
        path: 'src/cart/totals.ts',
        symbol: 'lineTotal',
        text: 'export function lineTotal(line: CartLine): Money {\n  const gross = line.unitPrice * line.quantity;\n  return { currency: line.currency, cents: Math.round(gross) };\n}\n',
        edit: ['Math.round(gross)', 'roundHalfEven(gross)'],
      },
      {
        path: 'src/payments/idempotency.ts',
        symbol: 'claimKey',
        text: 'export async function claimKey(store: KeyStore, key: string): Promise<boolean> {\n  const taken = await store.get(key);\n  if (taken) return false;\n  await store.put(key);\n  return true;\n}\n',
        edit: ['  await store.put(key);\n  return true;', '  return store.putIfAbsent(key);'],
      },
      {
        path: 'src/http/errors.ts',
        symbol: 'toProblem',
        text: 'export const toProblem = (error: CheckoutError) => ({\n  type: `urn:checkout:${error.code}`,\n  status: STATUS[error.kind],\n});\n',
        edit: ['status: STATUS[error.kind],', 'status: STATUS[error.kind] ?? 500,'],
      },
      {
        path: 'src/vouchers/rules.ts',
        symbol: 'voucherApplies',
        text: 'export function voucherApplies(v: Voucher, cart: Cart): boolean {\n  return cart.total.cents > v.minimumCents && !v.expired;\n}\n',
        edit: ['cart.total.cents > v.minimumCents', 'cart.total.cents >= v.minimumCents'],
      },
    ],
  },
  'storefront-web': {
    user: 'jonasveld',
    cwd: '/home/jonasveld/src/storefront-web',
    model: 'claude-sonnet-5-5',
    test: ['npm test', 'Test Files  37 passed (37)\n     Tests  302 passed (302)'],
    lint: ['npm run typecheck', 'tsc finished without findings'],
    files: [
      {
        path: 'app/product/gallery.tsx',
        symbol: 'Gallery',
        text: 'export function Gallery({ images }: Props) {\n  const [shown, setShown] = useState(0);\n  return <Slides at={shown} onMove={setShown} images={images} />;\n}\n',
        edit: ['useState(0)', 'useState(() => firstVisible(images))'],
      },
      {
        path: 'app/search/facets.ts',
        symbol: 'facetQuery',
        text: "export function facetQuery(chosen: Facet[]): string {\n  return chosen.map((f) => `${f.name}:${f.value}`).join(',');\n}\n",
        edit: ['`${f.name}:${f.value}`', '`${f.name}:${encodeURIComponent(f.value)}`'],
      },
      {
        path: 'app/layout/banner.tsx',
        symbol: 'Banner',
        text: 'export function Banner({ until, children }: Props) {\n  if (Date.parse(until) < Date.now()) return null;\n  return <aside role="note">{children}</aside>;\n}\n',
        edit: ['role="note"', 'role="status"'],
      },
      {
        path: 'app/lib/format-price.ts',
        symbol: 'formatPrice',
        text: "export const formatPrice = (cents: number, currency: string) =>\n  new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100);\n",
        edit: ["Intl.NumberFormat('en',", 'Intl.NumberFormat(locale(),'],
      },
    ],
  },
  'mobile-bff': {
    user: 'sannedijk',
    cwd: '/home/sannedijk/shop/mobile-bff',
    model: 'claude-haiku-5-5',
    test: ['npm test', 'tests 164\npass 164\nfail 0'],
    lint: ['npm run lint', 'Checked 61 files in 28ms. No fixes applied.'],
    files: [
      {
        path: 'src/feed/compose.ts',
        symbol: 'composeFeed',
        text: 'export async function composeFeed(user: UserId): Promise<Card[]> {\n  const parts = await Promise.all(SOURCES.map((s) => s.cards(user)));\n  return parts.flat();\n}\n',
        edit: ['Promise.all(SOURCES', 'settled(SOURCES'],
      },
      {
        path: 'src/auth/device-token.ts',
        symbol: 'readDeviceToken',
        text: "export function readDeviceToken(headers: Headers): string | undefined {\n  return headers.get('x-device-token') ?? undefined;\n}\n",
        edit: ["headers.get('x-device-token') ?? undefined", "headers.get('x-device-token')?.trim() || undefined"],
      },
      {
        path: 'src/cache/etag.ts',
        symbol: 'etagOf',
        text: "export const etagOf = (body: string) =>\n  `W/\"${createHash('sha1').update(body).digest('base64url')}\"`;\n",
        edit: ["createHash('sha1')", "createHash('sha256')"],
      },
      {
        path: 'src/push/topics.ts',
        symbol: 'topicsFor',
        text: 'export function topicsFor(profile: Profile): string[] {\n  return profile.stores.map((s) => `store-${s.id}`);\n}\n',
        edit: ['profile.stores.map', 'profile.stores.filter(isOpen).map'],
      },
    ],
  },
  'returns-portal': {
    user: 'carlabastos',
    cwd: '/Users/carlabastos/code/returns-portal',
    model: 'claude-sonnet-5-5',
    test: ['npm test', 'Tests  88 passed (88)'],
    lint: ['npm run lint', 'Checked 45 files in 22ms. No fixes applied.'],
    files: [
      {
        path: 'src/labels/label-sheet.ts',
        symbol: 'layoutSheet',
        text: 'export function layoutSheet(labels: Label[]): Page[] {\n  return chunk(labels, 8).map((part) => ({ labels: part }));\n}\n',
        edit: ['chunk(labels, 8)', 'chunk(labels, LABELS_PER_PAGE)'],
      },
      {
        path: 'src/refunds/window.ts',
        symbol: 'withinReturnWindow',
        text: 'export function withinReturnWindow(order: Order, today: Day): boolean {\n  return daysBetween(order.delivered, today) < 30;\n}\n',
        edit: ['< 30', '<= order.returnDays'],
      },
      {
        path: 'src/mail/templates.ts',
        symbol: 'refundMail',
        text: 'export const refundMail = (r: Refund) => ({\n  subject: `Your refund ${r.number}`,\n  text: body(r),\n});\n',
        edit: ['text: body(r),', 'text: body(r),\n  replyTo: REPLY_TO,'],
      },
      {
        path: 'src/scan/barcode.ts',
        symbol: 'parseBarcode',
        text: "export function parseBarcode(raw: string): Parcel | null {\n  const [carrier, code] = raw.split('-');\n  return carrier && code ? { carrier, code } : null;\n}\n",
        edit: ["raw.split('-')", "raw.trim().split('-', 2)"],
      },
    ],
  },
};
