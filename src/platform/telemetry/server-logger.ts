import { ConsoleLogger } from '@nestjs/common';

/** Contexts of the lines that Nest logs about its wiring at each start, which hide more important lines. */
const NEST_WIRING_CONTEXTS = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory']);

/** Writes one structured record per line, so that untrusted text with line breaks stays inside its record. */
export class ServerLogger extends ConsoleLogger {
  constructor(format: 'json' | 'text') {
    super({ json: format === 'json' });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context === 'string' && NEST_WIRING_CONTEXTS.has(context)) return;
    super.log(message, ...rest);
  }
}
