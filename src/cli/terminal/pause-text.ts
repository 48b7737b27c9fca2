import type { DeliveryPause } from '../../skills/delivery/delivery-pause.schema.js';

/** What a pause covers, in words. */
export function pauseText({ person, project, session, until }: DeliveryPause): string {
  const where = [
    ...(project === null ? [] : [`in project ${project}`]),
    ...(session === null ? [] : [`in session ${session}`]),
  ];
  const end = until === null ? 'until it is resumed' : `until ${until.slice(0, 16).replace('T', ' ')} UTC`;
  return [`agents of ${person.name}`, ...where, end].join(', ');
}
