import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

type Node = { [key: string]: unknown; description?: unknown };

const TYPES = new URL('../node_modules/@slack/types/dist/index.d.ts', import.meta.url);
const TARGET = new URL('../assets/blockkit.schema.json', import.meta.url);

const LENGTH =
  /max(?:imum)? length(?: (?:for|of) (?:the )?\w*(?: in| within)?(?: this field)?| for this field)?(?: is| of)? ([\d,]+)/i;
const ITEMS = /(?:max(?:imum)?(?: number of \w+(?: \w+)?)?(?: is| of)|maximum|max of) (\d+)/i;
const LENGTH_OF_EACH = /text in each item is (\d+)/i;

/** Block Kit as a JSON Schema: the structure from the types of the installed @slack/types, the limits from their comments. */
export function generateBlockKitSchema(): Node {
  const definitions: Node = {};
  for (const type of ['KnownBlock', 'ModalView']) Object.assign(definitions, definitionsOf(type));
  for (const definition of Object.values(definitions)) {
    for (const shape of shapesOf(definition)) addLimits(shape);
  }
  amend(definitions);
  return { $schema: 'http://json-schema.org/draft-07/schema#', definitions: withoutComments(definitions) };
}

function definitionsOf(type: string): object {
  const generator = createGenerator({
    path: fileURLToPath(TYPES),
    type,
    skipTypeCheck: true,
    expose: 'all',
    additionalProperties: false,
    jsDoc: 'extended',
  });
  return generator.createSchema(type).definitions ?? {};
}

function shapesOf(definition: unknown): Node[] {
  if (!isNode(definition)) return [];
  return [definition, ...listOf(definition['anyOf']), ...listOf(definition['allOf'])];
}

function addLimits(shape: Node): void {
  if (!isNode(shape['properties'])) return;
  const properties = shape['properties'];
  for (const [name, property] of Object.entries(properties)) {
    if (!isNode(property)) continue;
    const { description } = property;
    const comment = typeof description === 'string' ? description.replace(/\s+/g, ' ').replaceAll('`', '') : '';
    if (property['type'] === 'array') addListLimits(property, comment);
    else properties[name] = withLength(property, numberIn(LENGTH, comment));
  }
}

function addListLimits(property: Node, comment: string): void {
  const items = numberIn(ITEMS, comment);
  if (items !== undefined) property['maxItems'] = items;
  const length = numberIn(LENGTH_OF_EACH, comment);
  if (length !== undefined && isNode(property['items'])) property['items'] = textWithin(property['items'], length);
}

function withLength(property: Node, limit: number | undefined): Node {
  if (limit === undefined) return property;
  if (property['type'] === 'string') return { ...property, maxLength: limit };
  return /definitions\/(PlainTextElement|MrkdwnElement|TextObject)"/.test(JSON.stringify(property))
    ? textWithin(property, limit)
    : property;
}

function textWithin(property: Node, limit: number): Node {
  return { allOf: [property, { properties: { text: { maxLength: limit } } }] };
}

/** What Slack enforces and the types don't say, or say otherwise: an option's value may have 150 characters by today's reference. */
function amend(definitions: Node): void {
  for (const [name, definition] of Object.entries(definitions)) {
    for (const shape of shapesOf(definition)) {
      const properties = isNode(shape['properties']) ? shape['properties'] : {};
      if (name === 'PlainTextElement' || name === 'MrkdwnElement') patch(properties, 'text', { minLength: 1 });
      if (name === 'PlainTextOption' || name === 'MrkdwnOption') patch(properties, 'value', { maxLength: 150 });
      if (name === 'Overflow') patch(properties, 'options', { minItems: 1, maxItems: 5 });
      if (name === 'PlanBlock') patch(properties, 'tasks', { items: { $ref: '#/definitions/TaskCardBlock' } });
      patch(properties, 'image_url', { maxLength: 3000 });
      const placeholder = properties['placeholder'];
      if (isNode(placeholder)) properties['placeholder'] = textWithin(placeholder, 150);
    }
  }
}

function patch(properties: Node, name: string, change: Node): void {
  const property = properties[name];
  if (isNode(property)) properties[name] = { ...property, ...change };
}

function withoutComments(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutComments);
  if (!isNode(value)) return value;
  const kept = Object.entries(value).filter(([key, child]) => key !== 'description' || typeof child !== 'string');
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutComments(child)]));
}

function numberIn(pattern: RegExp, comment: string): number | undefined {
  const found = pattern.exec(comment)?.[1];
  return found === undefined ? undefined : Number(found.replaceAll(',', ''));
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(TARGET, `${JSON.stringify(generateBlockKitSchema(), null, 2)}\n`);
}
