import { err, ok, type Result } from '../base/result.ts'
import { type Problem, problem } from './problem.ts'

/** How a quantity was written, which is how it is printed: `1500M`, `1Gi` or `15e8`. */
export type QuantityFormat = 'decimal' | 'binary' | 'exponent'

/** A Kubernetes quantity, exact down to its finest unit, a billionth. */
export type Quantity = { readonly nanos: bigint; readonly format: QuantityFormat }

/** Parses a quantity as the API server does. Fractions of a billionth are rounded away from zero. */
export function parseQuantity(text: string): Result<Quantity, Problem> {
  const match = SHAPE.exec(text)
  if (!match) return refuse(text, WRONG_FORMAT)
  const [, sign, whole = '', fraction = '', suffix = ''] = match
  const scale = scaleOf(suffix)
  if (!scale) return refuse(text, WRONG_SUFFIX)
  if (whole.length + fraction.length > MAX_DIGITS || Math.abs(scale.exponent) > MAX_EXPONENT) return refuse(text, WRONG_NUMBER)
  const { nanos, format } = settled(scaled(BigInt(`${whole}${fraction}`), scale, fraction.length), scale.format)
  return ok({ nanos: sign === '-' ? -nanos : nanos, format })
}

/** Prints a quantity in its canonical form, with the largest suffix that leaves no fraction. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0'
  if (format === 'binary' && nanos % NANOS === 0n && magnitudeOf(nanos) >= 1024n * NANOS) return formatBinary(nanos / NANOS)
  return formatDecimal(nanos, format === 'exponent' ? 'exponent' : 'decimal')
}

/** Converts a quantity to an integer in the unit of its resource (see `resources.ts`), rounded up. Returns a problem if it is not a safe integer. */
export function resourceAmount(resource: string, value: string | number): Result<number, Problem> {
  if (typeof value === 'number' && Number.isSafeInteger(value) && !isCpu(resource)) return ok(value)
  const plain = typeof value === 'string' ? plainAmount(resource, value) : undefined
  if (plain !== undefined) return ok(plain)
  const parsed = parseQuantity(String(value))
  if (!parsed.ok) return parsed
  const amount = Number(ceilDivide(parsed.value.nanos, nanosPerUnit(resource)))
  return Number.isSafeInteger(amount) ? ok(amount) : refuse(String(value), `${resource} is larger than can be counted exactly`)
}

/** Prints an amount as Kubernetes prints the resource: `1500m`, `16Gi`, `3`. */
export function formatAmount(resource: string, amount: number): string {
  return formatQuantity({ nanos: BigInt(amount) * nanosPerUnit(resource), format: isBytes(resource) ? 'binary' : 'decimal' })
}

const SHAPE = /^([+-]?)(?=\.?[0-9])([0-9]*)\.?([0-9]*)([eEinumkKMGTP]*[-+]?[0-9]*)$/
const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const WRONG_SUFFIX = "unable to parse quantity's suffix"
const WRONG_NUMBER = 'unable to parse numeric part of quantity'
/** Far beyond any real quantity. Bounds the memory that a malicious input can take. */
const MAX_DIGITS = 120
const MAX_EXPONENT = 60
const NANOS = 1_000_000_000n
const NANOS_PER_MILLI = 1_000_000n
const MAX_BINARY = (2n ** 63n - 1n) * NANOS
const DECIMAL_SUFFIXES: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

type Scale = { readonly base: bigint; readonly exponent: number; readonly format: QuantityFormat }

function scaleOf(suffix: string): Scale | undefined {
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix)
  if (decimal >= 0) return { base: 10n, exponent: (decimal - 3) * 3, format: 'decimal' }
  const binary = BINARY_SUFFIXES.indexOf(suffix)
  if (binary > 0) return { base: 1024n, exponent: binary, format: 'binary' }
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) return undefined
  return { base: 10n, exponent: Number(suffix.slice(1)), format: 'exponent' }
}

/** Returns `digits` in nanos, scaled by the suffix and by the digits after the decimal point. */
function scaled(digits: bigint, scale: Scale, fractionDigits: number): bigint {
  const shift = scale.exponent < 0 ? 1n : scale.base ** BigInt(scale.exponent)
  const divisor = 10n ** BigInt(fractionDigits) * (scale.exponent < 0 ? scale.base ** BigInt(-scale.exponent) : 1n)
  return ceilDivide(digits * NANOS * shift, divisor)
}

/** Limits binary quantities to 64 bits. A binary quantity below one becomes decimal. */
function settled(magnitude: bigint, format: QuantityFormat): Quantity {
  if (format !== 'binary') return { nanos: magnitude, format }
  if (magnitude > MAX_BINARY) return { nanos: MAX_BINARY, format }
  return { nanos: magnitude, format: magnitude > 0n && magnitude < NANOS ? 'decimal' : format }
}

function formatBinary(whole: bigint): string {
  let mantissa = whole
  let step = 0
  while (step < BINARY_SUFFIXES.length - 1 && mantissa % 1024n === 0n) {
    mantissa /= 1024n
    step++
  }
  return `${mantissa}${BINARY_SUFFIXES[step]}`
}

function formatDecimal(nanos: bigint, format: 'decimal' | 'exponent'): string {
  let mantissa = nanos
  let step = 0
  const last = format === 'decimal' ? DECIMAL_SUFFIXES.length - 1 : MAX_EXPONENT
  while (step < last && mantissa % 1000n === 0n) {
    mantissa /= 1000n
    step++
  }
  if (format === 'decimal') return `${mantissa}${DECIMAL_SUFFIXES[step]}`
  const exponent = step * 3 - 9
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`
}

/** Parses the two spellings of nearly every quantity without big integers: `250m` of CPU, and bytes with a binary suffix. */
function plainAmount(resource: string, text: string): number | undefined {
  const match = PLAIN.exec(text)
  if (!match) return undefined
  const digits = Number(match[1])
  if (isCpu(resource)) return match[2] === 'm' ? digits : match[2] === '' ? digits * 1000 : undefined
  const power = BINARY_SUFFIXES.indexOf(match[2] ?? '')
  const amount = digits * 1024 ** power
  return power >= 0 && Number.isSafeInteger(amount) ? amount : undefined
}

const PLAIN = /^([0-9]{1,12})(m|Ki|Mi|Gi|Ti|)$/

function nanosPerUnit(resource: string): bigint {
  return isCpu(resource) ? NANOS_PER_MILLI : NANOS
}

function isCpu(resource: string): boolean {
  return resource === 'cpu'
}

function isBytes(resource: string): boolean {
  return resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')
}

function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend > 0n && dividend % divisor !== 0n ? quotient + 1n : quotient
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value
}

function refuse(text: string, rule: string): Result<never, Problem> {
  return err(problem('INPUT.INVALID', `quantity ${JSON.stringify(text.slice(0, 60))}: ${rule}`))
}
