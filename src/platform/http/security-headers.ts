import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

export type Policy = 'api' | 'documentation';

const DIRECTIVES: Record<Policy, Record<string, readonly string[]>> = {
  api: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  /** Swagger UI sets styles and embeds its pictures. */
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

/** Helmet has none for this one. */
const PERMISSIONS = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()';

const OPTIONS: HelmetOptions = {
  frameguard: { action: 'deny' },
  hsts: false,
  // For browsers that are gone, or without effect where nothing of another origin is loaded.
  dnsPrefetchControl: false,
  ieNoOpen: false,
  originAgentCluster: false,
  xssFilter: false,
};

// Prepared once: helmet checks its options each time that it is called.
const HEADERS = {
  api: helmet({ ...OPTIONS, contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES.api } }),
  documentation: helmet({
    ...OPTIONS,
    contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES.documentation },
  }),
};
const HSTS = helmet.hsts({ maxAge: 31_536_000, includeSubDomains: false });

/**
 * Says to a browser how little it may do with an answer. A route may replace a header with one that suits its page.
 * `isSecure`: the browser asked by https, and keeps to it for a year.
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

/** Both work at once and hand an error to what comes next. */
function rethrow(error?: unknown): void {
  if (error) throw error;
}
