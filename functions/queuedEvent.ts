import { parsedJson } from '../shared/base/json.ts'

/**
 * Returns the event in a message of a storage queue: JSON, or base64 of JSON. Microsoft documents neither for Event Grid (as of November 2026), so
 * both are accepted. The worker passes JSON as an object. Any other message is returned unchanged.
 */
export function eventOfMessage(message: unknown): unknown {
  if (typeof message !== 'string') return message
  return parsedJson(message) ?? parsedJson(Buffer.from(message, 'base64').toString('utf8')) ?? message
}
