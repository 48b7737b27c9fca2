import { type ArgumentMetadata, Param, StandardSchemaValidationPipe } from '@nestjs/common';
import { z } from 'zod';
import { DomainError, type FieldError } from '../base/domain.errors.js';

type Issue = { readonly message: string; readonly path?: readonly unknown[] | undefined };

/** Carries the issues from the validation, which knows them, to the pipe, which knows the validated parameter. */
class InvalidInput extends Error {
  constructor(readonly issues: readonly Issue[]) {
    super('invalid input');
  }
}

class RequestPipe extends StandardSchemaValidationPipe {
  constructor() {
    super({ exceptionFactory: (issues) => new InvalidInput(issues) });
  }

  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      throw error instanceof InvalidInput ? invalidRequest(error.issues, metadata.data) : error;
    }
  }
}

/** Validates bodies, queries and parameters by their zod schema and names every invalid field. */
export const requestPipe = (): StandardSchemaValidationPipe => new RequestPipe();

const Id = z.uuid({ error: 'must be a UUID' });

/** The id in the path of a route: a UUID. */
export const PathId = () => Param('id', { schema: Id });

/** `name` is the name of a single parameter; a body and a whole query have none. */
export function invalidRequest(issues: readonly Issue[], name: string | undefined): DomainError {
  const fields = issues
    .slice(0, 50)
    .flatMap((issue) => fieldErrors(name === undefined ? issue : { ...issue, path: [name, ...(issue.path ?? [])] }));
  const first = fields[0];
  return new DomainError(
    'invalid',
    'request.invalid',
    first === undefined ? 'The request is not valid.' : `${first.field}: ${first.message}`,
    fields,
  );
}

/** Returns the fields of an issue. Zod reports unknown keys on their parent; this names each of them. */
export function fieldErrors(issue: Issue): FieldError[] {
  const path = (issue.path ?? []).map((part) =>
    typeof part === 'object' && part !== null && 'key' in part ? String(part.key) : String(part),
  );
  const keys = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys : [];
  if (keys.length > 0)
    return keys.slice(0, 20).map((key) => ({
      field: [...path, String(key).slice(0, 100)].join('.'),
      message: 'is not a known field',
    }));
  return [{ field: path.join('.') || '(body)', message: issue.message }];
}
