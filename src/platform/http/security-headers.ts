import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

export type Policy = 'api' | 'documentation';

const DIRECTIVES: Record<Policy, Record<string, readonly string[]>> = {
  api: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  /** Swagger UI sets inline styles and embeds its images. */
  documentation: {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
};

/** Helmet has no option for this header. */
const PERMISSIONS = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()';

const OPTIONS: HelmetOptions = {
  frameguard: { action: 'deny' },
  hsts: false,
  // Only for obsolete browsers, or without effect because no page loads anything from another origin.
  dnsPrefetchControl: false,
  ieNoOpen: false,
  originAgentCluster: false,
  xssFilter: false,
};

// Prepared once: helmet validates its options on each call.
const HEADERS = {
  api: helmet({ ...OPTIONS, contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES.api } }),
  documentation: helmet({
    ...OPTIONS,
    contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES.documentation },
  }),
};
const HSTS = helmet.hsts({ maxAge: 31_536_000, includeSubDomains: false });

/**
 * Sets the security headers of a response. A route may replace a header with one that suits its page. `isSecure` means
 * that the browser uses https; HSTS then keeps it on https for a year.
 */
export function setSecurityHeaders(
  { request, answer }: { request: IncomingMessage; answer: ServerResponse },
  policy: Policy,
  isSecure: boolean,
): void {
  HEADERS[policy](request, answer, rethrow);
  answer.setHeader('permissions-policy', PERMISSIONS);
  if (isSecure) HSTS(request, answer, rethrow);
}

/** The callback of helmet's middlewares, which run synchronously and pass an error to `next`. */
function rethrow(error?: unknown): void {
  if (error) throw error;
}
