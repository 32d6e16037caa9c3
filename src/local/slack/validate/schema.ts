import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isObject, type JsonObject } from '../json.ts';
import type { Problem } from './problem.ts';

const SCHEMA = new URL('../../../../assets/blockkit.schema.json', import.meta.url);
// They only say that a union failed; the errors of its branches say why.
const SAYS_NOTHING = new Set(['anyOf', 'oneOf', 'allOf', 'if', '$ref']);

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
const definitions = loadDefinitions();
const blockChecks = checksByType();

/** The check of a block's structure and limits, or nothing for an unknown type. */
export function blockCheck(type: unknown): ((value: unknown, pointer: string) => Problem[]) | undefined {
  const validate = typeof type === 'string' ? blockChecks.get(type) : undefined;
  return validate && ((value, pointer) => problemsOf(validate, value, pointer));
}

export function checkModal(value: unknown, pointer: string): Problem[] {
  return problemsOf(checkOf('ModalView'), value, pointer);
}

function loadDefinitions(): JsonObject {
  const schema: unknown = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  if (!isObject(schema) || !isObject(schema['definitions'])) throw new Error(`No definitions in ${SCHEMA.pathname}`);
  ajv.addSchema(schema, 'blockkit');
  return schema['definitions'];
}

function checksByType(): Map<string, ValidateFunction> {
  const checks = new Map<string, ValidateFunction>();
  for (const [name, definition] of Object.entries(definitions)) {
    const type = typeOf(definition);
    if (name.endsWith('Block') && type !== undefined) checks.set(type, checkOf(name));
  }
  return checks;
}

function checkOf(name: string): ValidateFunction {
  const check = ajv.getSchema(`blockkit#/definitions/${name}`);
  if (!check) throw new Error(`The Block Kit schema has no ${name}`);
  return check;
}

function typeOf(definition: unknown): string | undefined {
  if (!isObject(definition)) return undefined;
  const shapes = [definition, ...(Array.isArray(definition['anyOf']) ? definition['anyOf'] : [])];
  for (const shape of shapes) {
    const properties = isObject(shape) ? shape['properties'] : undefined;
    const type = isObject(properties) && isObject(properties['type']) ? properties['type']['const'] : undefined;
    if (typeof type === 'string') return type;
  }
  return undefined;
}

function problemsOf(validate: ValidateFunction, value: unknown, pointer: string): Problem[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const telling = withoutOtherBranches(errors).filter((error) => !SAYS_NOTHING.has(error.keyword));
  const shown = telling.length > 0 ? telling : [deepest(errors)].filter((error) => error !== undefined);
  return shown.map((error) => ({ text: words(error), pointer: pointer + error.instancePath }));
}

/** In a union, only the branch whose `type` the value names is of interest. */
function withoutOtherBranches(errors: ErrorObject[]): ErrorObject[] {
  const others = errors
    .filter((error) => error.keyword === 'const' && error.schemaPath.endsWith('/properties/type/const'))
    .map((error) => ({
      schema: error.schemaPath.slice(0, -'properties/type/const'.length),
      at: error.instancePath.slice(0, -'/type'.length),
    }));
  return errors.filter(
    (error) =>
      !others.some(({ schema, at }) => error.schemaPath.startsWith(schema) && error.instancePath.startsWith(at)),
  );
}

function deepest(errors: ErrorObject[]): ErrorObject | undefined {
  return errors.toSorted((a, b) => b.instancePath.split('/').length - a.instancePath.split('/').length)[0];
}

function words(error: ErrorObject): string {
  const { params } = error;
  switch (error.keyword) {
    case 'maxLength':
      return `must be less than ${Number(params['limit']) + 1} characters`;
    case 'minLength':
      return `must be more than ${Number(params['limit']) - 1} characters`;
    case 'maxItems':
      return `no more than ${Number(params['limit'])} items allowed`;
    case 'minItems':
      return `no fewer than ${Number(params['limit'])} items allowed`;
    case 'required':
      return `missing required field: ${String(params['missingProperty'])}`;
    case 'additionalProperties':
      return `invalid additional property: ${String(params['additionalProperty'])}`;
    case 'anyOf':
      return 'failed to match all allowed schemas';
    default:
      return `invalid value (${error.message ?? error.keyword})`;
  }
}
