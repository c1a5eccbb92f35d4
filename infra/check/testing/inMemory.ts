// Evaluates templates that are written in a test.
import { createEvaluator, type Evaluation } from '../evaluate/evaluate.ts'
import type { Value, ValueObject } from '../evaluate/value.ts'

type Files = { readonly [path: string]: string }

/** Evaluates `main.bicep` of these files. */
export async function run(files: Files | string, parameters: ValueObject = {}): Promise<Evaluation> {
  const texts: Files = typeof files === 'string' ? { 'main.bicep': files } : files
  const evaluator = await createEvaluator((path) => (Object.hasOwn(texts, path) ? texts[path] : undefined))
  return evaluator.evaluate('main.bicep', parameters, { group: 'rg' })
}

/** Returns the value of one expression. `before` holds declarations that it uses. */
export async function valueOf(expression: string, before = ''): Promise<Value> {
  const { outputs, findings } = await run(`${before}\noutput it any = ${expression}\n`)
  const [first] = findings
  if (first !== undefined) throw new Error(`${first.line}: ${first.message}`)
  return outputs['it'] ?? null
}
