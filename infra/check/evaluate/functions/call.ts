// Calls of a function of the file, or of a function of Bicep.
import { type Expression, Refusal } from '../../parse/syntax.ts'
import type { Frame } from '../frame.ts'
import { isOpen, Open, openOf, type Value } from '../value.ts'
import { AZURE } from './azure.ts'
import type { BuiltIn, BuiltIns } from './builtIn.ts'
import { LISTS } from './lists.ts'
import { TEXTS } from './texts.ts'

const BUILT_IN: BuiltIns = { ...TEXTS, ...LISTS, ...AZURE }

/** Returns Bicep's function of this name. Undefined if the evaluator does not support it. */
export function builtIn(name: string): BuiltIn | undefined {
  return Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined
}

type Call = Extract<Expression, { kind: 'call' }>

export function callFunction(call: Call, frame: Frame, evaluate: (expression: Expression, frame: Frame) => Value): Value {
  const given = call.given.map((each) => evaluate(each, frame))
  const user = call.on === undefined ? frame.userFunction(call.name) : undefined
  if (user !== undefined) return user(given, call)
  const { run, knows } = knownFunction(call)
  const runNow = (settled: readonly Value[]): Value => run(settled, { frame, place: call })
  const waits = knows === 'all' ? given.some(isOpen) : given.some((each) => each instanceof Open)
  return waits ? openOf(call.name, given, runNow) : runNow(given)
}

/** Returns Bicep's function of a call. Throws `Refusal` if it is unknown or gets the wrong number of arguments. */
function knownFunction(call: Call): BuiltIn {
  const isNamespace = call.on?.kind === 'name' && (call.on.name === 'sys' || call.on.name === 'az')
  if (call.on !== undefined && !isNamespace)
    throw new Refusal(call, `".${call.name}()" is a call on a resource, which the evaluator does not know: no key or secret is listed here`)
  const known = builtIn(call.name)
  if (known === undefined) throw new Refusal(call, `the evaluator does not know the function ${call.name}()`)
  const { length } = call.given
  if (length < known.least || length > known.most)
    throw new Refusal(call, `${call.name}() takes ${known.least} to ${known.most} arguments, and ${length} are given`)
  return known
}
