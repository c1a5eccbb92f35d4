/**
 * The event in a message of a storage queue: JSON, or base64 of JSON. Microsoft documents neither for Event Grid (looked for in
 * November 2026), so both are read. The worker hands JSON over as an object. What is neither is given back as it is.
 */
export function eventOfMessage(message: unknown): unknown {
  if (typeof message !== 'string') return message
  return jsonOf(message) ?? jsonOf(Buffer.from(message, 'base64').toString('utf8')) ?? message
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
