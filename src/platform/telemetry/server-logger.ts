import { ConsoleLogger } from '@nestjs/common';

/** What Nest says of its own wiring at each start; it hides the lines that matter. */
const NEST_WIRING_CONTEXTS = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory']);

/** One structured record a line: text from outside stays inside its record, whatever line breaks it holds. */
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
