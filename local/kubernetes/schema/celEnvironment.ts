import { Environment } from '@marcbachmann/cel-js'
import { messageOf } from '../../../shared/base/result.ts'
import { re2Pattern } from './re2Pattern.ts'

export type CelContext = { readonly self: unknown; readonly oldSelf?: unknown }
export type CelRule = (context: CelContext) => unknown

/** Adds the functions of Kubernetes to CEL that the rules of this project's CRDs and similar ones use. */
function createEnvironment(): Environment {
  return new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn')
    .registerFunction('string.find(string): string', (text: string, pattern: string) => re2Pattern(pattern).exec(text)?.[0] ?? '')
    .registerFunction('string.findAll(string): list', (text: string, pattern: string) => text.match(new RegExp(pattern, 'gu')) ?? [])
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => text.replaceAll(from, to))
    .registerFunction('list.isSorted(): bool', (list: readonly unknown[]) =>
      list.every((item, index) => index === 0 || !less(item, list[index - 1])),
    )
    .registerFunction('list.sum(): dyn', (list: readonly unknown[]) => sum(list))
    .registerFunction('list.min(): dyn', (list: readonly unknown[]) => list.reduce((best, item) => (less(item, best) ? item : best)))
    .registerFunction('list.max(): dyn', (list: readonly unknown[]) => list.reduce((best, item) => (less(best, item) ? item : best)))
    .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text))
    .registerFunction(`${STRICT_INT}(dyn): int`, strictInt)
}

/**
 * The library converts an empty text to zero, and `0b1` to one, but CEL accepts decimal digits only. The library's `int` cannot be replaced, so rules
 * call this function instead. Quoted text in rules is left alone.
 */
const STRICT_INT = 'strictInt'
const QUOTED_OR_INT = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\bint\(/g

function withStrictInt(rule: string): string {
  return rule.replace(QUOTED_OR_INT, (found) => (found === 'int(' ? `${STRICT_INT}(` : found))
}

function strictInt(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value))
  if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) {
    const integer = BigInt(value)
    if (BigInt.asIntN(64, integer) === integer) return integer
  }
  throw new TypeError('type conversion error: not an integer of 64 bits')
}

type Comparable = string | number | bigint

function isComparable(value: unknown): value is Comparable {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
}

function less(first: unknown, second: unknown): boolean {
  return isComparable(first) && isComparable(second) && first < second
}

function sum(list: readonly unknown[]): bigint | number {
  if (list.some((item) => typeof item === 'number')) return list.reduce((total: number, item) => total + Number(item), 0)
  return list.reduce((total: bigint, item) => total + (typeof item === 'bigint' ? item : 0n), 0n)
}

const environment = createEnvironment()
const compiled = new Map<string, CelRule>()

/** Compiles a rule, once. Throws the error of the compiler if this server cannot run the rule. */
export function compileRule(rule: string): CelRule {
  const known = compiled.get(rule)
  if (known) return known
  const made = environment.parse(withStrictInt(rule))
  const checked = made.check()
  if (!checked.valid) throw checked.error ?? new SyntaxError(rule)
  const run: CelRule = (context) => made({ ...context })
  compiled.set(rule, run)
  return run
}

/** Returns the first line of an error in a rule. The other lines draw its position. */
export function celProblem(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? ''
}
