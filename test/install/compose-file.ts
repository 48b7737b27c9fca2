import { parse } from 'yaml';
import { z } from 'zod';
import { expectSame } from './checks.js';

const Service = z.object({
  image: z.string(),
  user: z.string(),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  environment: z.record(z.string(), z.string()),
  secrets: z.array(z.string()).min(1),
  ports: z.array(z.string()).default([]),
  restart: z.enum(['no', 'unless-stopped']),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});
const ComposeFile = z.object({
  services: z.object({ database: Service, migrate: Service, server: Service }),
  volumes: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

/** Throws unless every service is without privileges, has its secrets as files, and waits for what it needs. */
export function expectHardened(text: string, version: string): void {
  const { services, secrets } = ComposeFile.parse(parse(text, { merge: true }));
  for (const [name, service] of Object.entries(services)) {
    if (/^(root|0)\b/.test(service.user)) throw new Error(`${name} runs as root`);
    if (!/:[\w.-]+$/.test(service.image) || service.image.endsWith(':latest'))
      throw new Error(`${name} has an image without a version: ${service.image}`);
    for (const [variable, value] of Object.entries(service.environment)) {
      if (/PASSWORD|TOKEN|KEY|SECRET|DATABASE_URL/.test(variable) && !value.startsWith('/run/secrets/'))
        throw new Error(`${name} has a secret in ${variable}`);
      const file = /^\/run\/secrets\/(.+)$/.exec(value)?.[1];
      if (file !== undefined && !service.secrets.includes(file)) throw new Error(`${name} does not mount ${file}`);
    }
    const unknown = service.secrets.filter((secret) => !(secret in secrets));
    expectSame(unknown, [], `secrets of ${name} without a file`);
    const reachable = service.ports.filter((port) => !port.startsWith('127.0.0.1:'));
    expectSame(reachable, [], `ports of ${name} that other machines reach without TLS`);
  }
  const { database, migrate, server } = services;
  expectSame(
    [server.image, migrate.image],
    [`guildbook:${version}`, `guildbook:${version}`],
    'the image and the version of the package',
  );
  expectSame(database.ports, [], 'ports of the database');
  const waitsFor = Object.entries(server.depends_on).map(([name, { condition }]) => `${name}: ${condition}`);
  expectSame(
    waitsFor.sort(),
    ['database: service_healthy', 'migrate: service_completed_successfully'],
    'what the server waits for',
  );
}
