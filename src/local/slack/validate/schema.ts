import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isObject, type JsonObject } from '../json.ts';
import type { Problem } from './problem.ts';

const SCHEMA = new URL('../../../../assets/blockkit.schema.json', import.meta.url);
// They only say that a union failed; the errors of its branches say why.
const SAYS_NOTHING = new Set(['anyOf', 'oneOf', 'allOf', 'if', '$ref']);

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, verbose: true });
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
  const misplaced = misplacedIn(errors);
  const telling = errors.filter(
    (error) =>
      !SAYS_NOTHING.has(error.keyword) &&
      !isOfOtherBranch(error) &&
      !misplaced.some(({ instancePath }) => `${error.instancePath}/`.startsWith(`${instancePath}/`)),
  );
  const clear = telling.filter((error) => !isTypeMismatch(error));
  const shown =
    clear.length > 0 ? clear : misplaced.length > 0 ? [] : (telling.length > 0 ? telling : errors).slice(0, 1);
  return [
    ...misplaced.map(({ type, instancePath }) => ({
      text: `unsupported type: ${type}`,
      pointer: `${pointer}${instancePath}/type`,
    })),
    ...shown.map((error) => ({ text: words(error), pointer: pointer + error.instancePath })),
  ];
}

/** Values whose type no branch of their union has: what else is said against them comes from branches that aren't meant. */
function misplacedIn(errors: ErrorObject[]): { type: string; instancePath: string }[] {
  const places = new Map<string, { type: string; accepted: Set<string> }>();
  for (const { keyword, instancePath, parentSchema, data } of errors) {
    if (keyword !== 'anyOf' || !isObject(data) || typeof data['type'] !== 'string') continue;
    const place = places.get(instancePath) ?? { type: data['type'], accepted: new Set() };
    for (const type of typesIn(parentSchema)) place.accepted.add(type);
    places.set(instancePath, place);
  }
  return [...places]
    .filter(([, { type, accepted }]) => accepted.size > 0 && !accepted.has(type))
    .map(([instancePath, { type }]) => ({ type, instancePath }));
}

/** The types of all branches of a union, and of the unions in it. */
function typesIn(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const reference = schema['$ref'];
  if (typeof reference === 'string') return typesIn(definitions[decodeURIComponent(reference.split('/').at(-1) ?? '')]);
  const own = typeOf(schema);
  if (own !== undefined) return [own];
  return Array.isArray(schema['anyOf']) ? schema['anyOf'].flatMap(typesIn) : [];
}

/** In a union, only the branch whose `type` the value names is of interest. */
function isOfOtherBranch({ parentSchema, data }: ErrorObject): boolean {
  const type = typeOf(parentSchema);
  return type !== undefined && isObject(data) && data['type'] !== type;
}

function isTypeMismatch({ keyword, instancePath }: ErrorObject): boolean {
  return keyword === 'const' && instancePath.endsWith('/type');
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
    case 'const':
      return isTypeMismatch(error)
        ? `unsupported type: ${String(error.data)}`
        : `invalid value (${error.message ?? ''})`;
    case 'anyOf':
      return 'failed to match all allowed schemas';
    default:
      return `invalid value (${error.message ?? error.keyword})`;
  }
}
