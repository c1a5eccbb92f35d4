import { canonicalJson } from './json.ts'

const FNV_OFFSET_HIGH = 0xcbf29ce4
const FNV_OFFSET_LOW = 0x84222325
const FNV_FACTOR = 0x1b3
const FNV_OFFSET_32 = 0x811c9dc5
const FNV_PRIME_32 = 0x01000193
const TWO_TO_32 = 2 ** 32
const MASK = 0xffffffffffffffffn
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
/** The number of letters whose combined value a JavaScript number holds exactly. */
const EXACT_DIGITS = 10
const EXACT = BigInt(ALPHABET.length ** EXACT_DIGITS)

/** Returns 64-bit FNV-1a over the UTF-16 code units of the value's canonical JSON, as 16 hexadecimal digits. Not for secrets. */
export function stableHash(value: unknown): string {
  return hash64(canonicalJson(value)).toString(16).padStart(16, '0')
}

/**
 * Returns a short name derived from a value: `length` characters of the alphabet that Kubernetes uses for generated names. The alphabet has no
 * vowels, so that no words arise. Ten characters carry about 47 bits.
 */
export function stableName(value: unknown, length: number): string {
  return nameFrom(canonicalJson(value), length)
}

/**
 * Returns `stableName` for objects that differ in their last member only, which is a number. The other members must have names that sort before the
 * last one's name.
 */
export function stableNames(before: { readonly [name: string]: unknown }, last: string): (value: number, length: number) => string {
  const text = `${canonicalJson(before).slice(0, -1)},${JSON.stringify(last)}:`
  return (value, length) => nameFrom(`${text}${value}}`, length)
}

function nameFrom(text: string, length: number): string {
  let rest = hash64(text)
  let name = ''
  while (name.length < length) {
    let digits = Number(rest % EXACT)
    rest /= EXACT
    for (let index = 0; index < EXACT_DIGITS && name.length < length; index++) {
      name += ALPHABET[digits % ALPHABET.length]
      digits = Math.floor(digits / ALPHABET.length)
    }
  }
  return name
}

/**
 * Returns a number from 0 to 2^32 - 1 for a text, for use as a sort key. Much faster than `stableHash`. 32-bit FNV-1a over the UTF-16 code units,
 * with MurmurHash3's finalizer.
 */
export function stableNumber(text: string): number {
  let hash = FNV_OFFSET_32
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME_32)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Computed in two halves of 32 bits. The FNV prime is 2^40 + 0x1b3, so a product is a shift and two small products. */
function hash64(text: string): bigint {
  let high = FNV_OFFSET_HIGH
  let low = FNV_OFFSET_LOW
  for (let index = 0; index < text.length; index++) {
    low = (low ^ text.charCodeAt(index)) >>> 0
    const product = low * FNV_FACTOR
    high = (Math.imul(high, FNV_FACTOR) + Math.floor(product / TWO_TO_32) + (low << 8)) >>> 0
    low = product >>> 0
  }
  return mix((BigInt(high) << 32n) | BigInt(low))
}

/** The finalizer of splitmix64. FNV alone leaves the low digits of similar texts alike. */
function mix(hash: bigint): bigint {
  let mixed = hash
  mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK
  mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & MASK
  return mixed ^ (mixed >> 31n)
}
