/**
 * Hashes of Go values, equal to those of the module hashstructure v2 with FormatV2, SlicesAsSets and IgnoreZeroValue, as Karpenter uses it. Read
 * 2026-11-30: github.com/mitchellh/hashstructure v2.0.2, hashstructure.go.
 */

/** A hash of 64 bits, as two halves without sign. */
export type GoHash = { readonly high: number; readonly low: number }

const FNV_OFFSET_HIGH = 0xcbf29ce4
const FNV_OFFSET_LOW = 0x84222325
const FNV_FACTOR = 0x1b3
const TWO_TO_32 = 2 ** 32

export function goText(text: string): GoHash {
  return fnv1(utf8(text))
}

/** A whole number that is not below 0, and that a number holds exactly. */
export function goNumber(value: number): GoHash {
  return finished({ high: Math.floor(value / TWO_TO_32), low: value >>> 0 })
}

/** The order of items does not count. An item that is there twice counts as none, as in Go. */
export function goSet(items: readonly GoHash[]): GoHash {
  return items.reduce(both, { high: 0, low: 0 })
}

export function goMap(map: { readonly [key: string]: string }): GoHash {
  return finished(goSet(Object.entries(map).map(([key, value]) => ordered(goText(key), goText(value)))))
}

/** `fields` are in the order of Go. A field of undefined has the zero value of Go, and does not count. */
export function goStruct(name: string, fields: readonly (readonly [name: string, value: GoHash | undefined])[]): GoHash {
  let hash = goText(name)
  for (const [field, value] of fields) if (value !== undefined) hash = finished(both(hash, ordered(goText(field), value)))
  return hash
}

/** The hash as Go prints it. */
export function goDecimal({ high, low }: GoHash): string {
  return ((BigInt(high) << 32n) | BigInt(low)).toString()
}

function both(first: GoHash, second: GoHash): GoHash {
  return { high: (first.high ^ second.high) >>> 0, low: (first.low ^ second.low) >>> 0 }
}

function ordered(first: GoHash, second: GoHash): GoHash {
  const bytes: number[] = []
  addBytes(bytes, first)
  addBytes(bytes, second)
  return fnv1(bytes)
}

function finished(hash: GoHash): GoHash {
  const bytes: number[] = []
  addBytes(bytes, hash)
  return fnv1(bytes)
}

/** Adds the least byte first. */
function addBytes(bytes: number[], { high, low }: GoHash): void {
  for (const half of [low, high]) bytes.push(half & 0xff, (half >>> 8) & 0xff, (half >>> 16) & 0xff, half >>> 24)
}

/** FNV-1 of 64 bits. The FNV prime is 2^40 + 0x1b3, so a product is a shift and two small products. */
function fnv1(bytes: readonly number[]): GoHash {
  let high = FNV_OFFSET_HIGH
  let low = FNV_OFFSET_LOW
  for (const byte of bytes) {
    const product = low * FNV_FACTOR
    high = (Math.imul(high, FNV_FACTOR) + Math.floor(product / TWO_TO_32) + (low << 8)) >>> 0
    low = ((product >>> 0) ^ byte) >>> 0
  }
  return { high, low }
}

function utf8(text: string): readonly number[] {
  const bytes: number[] = []
  for (const character of text) addCode(bytes, character.codePointAt(0) ?? 0)
  return bytes
}

function addCode(bytes: number[], code: number): void {
  if (code < 0x80) bytes.push(code)
  else if (code < 0x800) bytes.push(0xc0 | (code >> 6), later(code))
  else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), later(code >> 6), later(code))
  else bytes.push(0xf0 | (code >> 18), later(code >> 12), later(code >> 6), later(code))
}

function later(code: number): number {
  return 0x80 | (code & 0x3f)
}
