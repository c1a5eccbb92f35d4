import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { POST_DICTIONARY } from '../../shared/wire/kept/dictionary.ts'

/** The text of an object that waits to be posted. Pods without a node may be many and wait for long, so their texts wait packed. */
export type HeldText = string | PackedText

/** Packed bytes, one in each character: a string is held with less memory than a buffer. */
export type PackedText = { readonly packed: string; readonly length: number }

const dictionary = Buffer.from(POST_DICTIONARY)
// A window that holds the dictionary and a text is enough.
const options = { dictionary, windowBits: 12, chunkSize: 1_024 }

export function packText(text: string): PackedText {
  const bytes = deflateRawSync(text, { ...options, memLevel: 1, level: constants.Z_BEST_SPEED })
  return { packed: bytes.toString('latin1'), length: text.length }
}

export function unpackText(held: HeldText): string {
  return typeof held === 'string' ? held : inflateRawSync(Buffer.from(held.packed, 'latin1'), options).toString('utf8')
}

/** The number of characters in memory. */
export function sizeOf(held: HeldText): number {
  return typeof held === 'string' ? held.length : held.packed.length
}
