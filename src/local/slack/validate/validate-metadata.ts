import type { MessageMetadata } from '@slack/types';
import { isObject, type JsonObject } from '../json.ts';

/** An event type and a payload of words, numbers and booleans; one level of objects, or lists of them, is allowed. */
export function isMetadata(value: unknown): value is MessageMetadata {
  if (!isObject(value) || typeof value['event_type'] !== 'string' || value['event_type'] === '') return false;
  const payload = value['event_payload'];
  return isObject(payload) && Object.values(payload).every((item) => isPlain(item) || isFlat(item) || isFlatList(item));
}

function isFlatList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFlat);
}

function isFlat(value: unknown): value is JsonObject {
  return isObject(value) && Object.values(value).every(isPlain);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
