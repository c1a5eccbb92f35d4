import type { QueuesConfig } from '../base/hostConfig.ts'

/** Encodes a message as the platform stores it: the text as it is, or base64 of its UTF-8 bytes. */
export function encodeMessage(text: string, encoding: QueuesConfig['messageEncoding']): string {
  return encoding === 'none' ? text : Buffer.from(text, 'utf8').toString('base64')
}

/** Returns undefined if the text does not have the encoding. */
export function decodeMessage(text: string, encoding: QueuesConfig['messageEncoding']): string | undefined {
  if (encoding === 'none') return text
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
  return isBase64 ? Buffer.from(text, 'base64').toString('utf8') : undefined
}
