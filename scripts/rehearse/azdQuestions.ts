// What azd asks the person for before it deploys a layer, as seen with azd 1.31.2 in November 2026: for each parameter without a default and without a
// value. Without a terminal it fails instead. Hooks answer by values of the environment, and a layer that is deleted takes its outputs with it.
import type { Evaluator } from '../../infra/check/evaluate/evaluate.ts'
import type { Json } from '../../infra/check/evaluate/value.ts'
import { isAskedFor, parametersOf } from '../../infra/check/rules/azd.ts'
import { objectOf, textOf } from './deployTemplate.ts'

export type Layer = {
  readonly evaluator: Pick<Evaluator, 'parse'>
  readonly main: string
  readonly readText: (path: string) => string | undefined
}
type Environment = { readonly [name: string]: Json }

/** Returns the parameters that azd asks for, each with the variable that would answer. */
export function azdQuestions({ evaluator, main, readText }: Layer, environment: Environment): readonly string[] {
  const variables = variablesOf(readText(main.replace(/\.bicep$/, '.parameters.json')))
  return parametersOf(evaluator.parse(main))
    .filter(isAskedFor)
    .filter(({ name }) => !environment[variables.get(name) ?? ''])
    .map(({ name }) => `${name} (${variables.get(name) ?? 'no variable'})`)
}

/** Returns the variable that fills each parameter. */
export function variablesOf(file = '{}'): ReadonlyMap<string, string> {
  const parsed: Json = JSON.parse(file)
  const parameters = Object.entries(objectOf(objectOf(parsed)['parameters'] ?? {}))
  return new Map(
    parameters.flatMap(([name, given]) => {
      const variable = /^\$\{(\w+)\}$/.exec(textOf(objectOf(given)['value']))?.[1]
      return variable === undefined ? [] : [[name, variable]]
    }),
  )
}

/** Throws where azd would ask, or fail without a terminal. */
export function requireNoQuestions(layer: Layer, environment: Environment): void {
  const asked = azdQuestions(layer, environment)
  if (asked.length > 0) throw new Error(`azd asks for ${asked.join(', ')} of ${layer.main}, and fails without a terminal`)
}

/** Returns the environment once a layer is deleted. */
export function withoutOutputs(environment: Environment, outputs: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !Object.hasOwn(outputs, name)))
}
