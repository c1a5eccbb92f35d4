import type { Result } from '../../base/result.ts'
import type { Problem } from '../../model/problem.ts'

/** How a value is stored as text. */
export type Codec<Value> = {
  readonly print: (value: Value) => string
  readonly parse: (text: string) => Result<Value, Problem>
}
