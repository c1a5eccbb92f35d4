// The value of an expression.
import { type Expression, Refusal } from '../parse/syntax.ts'
import { type Frame, withNames } from './frame.ts'
import { callFunction } from './functions/call.ts'
import { itemOf, memberOf } from './members.ts'
import { operate, textOf } from './operators.ts'
import { isList, isOpen, kindOf, Lambda, Open, openOf, ResourceHandle, type Value } from './value.ts'

type Of<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>

/** Returns the value of an expression. Throws `Refusal`, with the place, for an expression that cannot be evaluated. */
export function evaluate(expression: Expression, frame: Frame): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'text':
      return textValue(expression, frame)
    case 'name':
      return frame.symbol(expression.name, expression)
    case 'array':
      return expression.items.map((item) => evaluate(item, frame))
    case 'object':
      return objectValue(expression, frame)
    case 'for':
      return loop(expression, frame, (body, inner) => evaluate(body, inner))
    case 'if':
      throw new Refusal(expression, 'a condition with `if` belongs to a resource or module')
    case 'member':
      return memberOf(evaluate(expression.of, frame), expression.name, expression.isSafe, expression)
    case 'index':
      return itemOf(evaluate(expression.of, frame), evaluate(expression.index, frame), expression.isSafe, expression)
    case 'nested': {
      const of = evaluate(expression.of, frame)
      if (!(of instanceof ResourceHandle)) throw new Refusal(expression, `"::" follows a resource, not ${kindOf(of)}`)
      return of.child(expression.name, expression)
    }
    case 'sure':
      return evaluate(expression.of, frame)
    case 'unary':
      return unaryValue(expression, frame)
    case 'binary':
      return binaryValue(expression, frame)
    case 'choice':
      return choiceValue(expression, frame)
    case 'lambda':
      return new Lambda(expression.parameters.length, (...given) =>
        evaluate(expression.body, withNames(frame, Object.fromEntries(expression.parameters.map((name, at) => [name, given[at] ?? null])))),
      )
    case 'call':
      return callFunction(expression, frame, evaluate)
  }
}

/** Calls `each` for each item of a loop, with the body and the frame in which the body is evaluated. */
export function loop<T>(expression: Of<'for'>, frame: Frame, each: (body: Expression, inner: Frame) => T): readonly T[] {
  const list = evaluate(expression.list, frame)
  if (list instanceof Open) throw new Refusal(expression.list, 'the list of a loop must be known when the deployment starts')
  if (!isList(list)) throw new Refusal(expression.list, `a loop goes over an array, not over ${kindOf(list)}`)
  return list.map((item, at) =>
    each(
      expression.body,
      withNames(frame, { [expression.item]: item, ...(expression.index === undefined ? {} : { [expression.index]: at }) }),
    ),
  )
}

/** Returns the value of a condition. Throws `Refusal` if it is not known when the deployment starts. */
export function known(expression: Expression, frame: Frame): boolean {
  const value = evaluate(expression, frame)
  if (typeof value !== 'boolean')
    throw new Refusal(expression, `a condition is true or false when the deployment starts, not ${kindOf(value)}`)
  return value
}

function textValue(expression: Of<'text'>, frame: Frame): Value {
  const parts = expression.parts.map((part) => (typeof part === 'string' ? part : evaluate(part, frame)))
  if (parts.some(isOpen)) return openOf('text', parts, (settled) => settled.map(textOf).join(''))
  return parts.map(textOf).join('')
}

function objectValue(expression: Of<'object'>, frame: Frame): Value {
  const entries: [string, Value][] = []
  for (const property of expression.properties) {
    const key = evaluate(property.key, frame)
    if (typeof key !== 'string') throw new Refusal(property, `the name of a property is a text, not ${kindOf(key)}`)
    if (entries.some(([other]) => other === key)) throw new Refusal(property, `the property "${key}" is there twice`)
    entries.push([key, evaluate(property.value, frame)])
  }
  return Object.fromEntries(entries)
}

function unaryValue(expression: Of<'unary'>, frame: Frame): Value {
  const apply = (value: Value): Value => {
    if (expression.operator === '!' && typeof value === 'boolean') return !value
    if (expression.operator === '-' && typeof value === 'number') return -value
    throw new Refusal(expression, `"${expression.operator}" is not for ${kindOf(value)}`)
  }
  const value = evaluate(expression.of, frame)
  return value instanceof Open ? openOf(expression.operator, [value], ([inner = null]) => apply(inner)) : apply(value)
}

function binaryValue(expression: Of<'binary'>, frame: Frame): Value {
  const { operator } = expression
  const left = evaluate(expression.left, frame)
  if (operator === '??') {
    if (left === null) return evaluate(expression.right, frame)
    if (!(left instanceof Open)) return left
    return openOf('??', [left, evaluate(expression.right, frame)], ([first = null, second = null]) => first ?? second)
  }
  if (operator === '&&' || operator === '||') {
    if (left === (operator === '||')) return left
    const right = evaluate(expression.right, frame)
    const bool = (value: Value): boolean => {
      if (typeof value !== 'boolean') throw new Refusal(expression, `"${operator}" is not for ${kindOf(value)}`)
      return value
    }
    if (!isOpen(left)) return bool(left) === (operator === '&&') && isOpen(right) ? right : bool(right)
    return openOf(operator, [left, right], ([first = null, second = null]) =>
      operator === '&&' ? bool(first) && bool(second) : bool(first) || bool(second),
    )
  }
  const right = evaluate(expression.right, frame)
  if (isOpen(left) || isOpen(right))
    return openOf(operator, [left, right], ([first = null, second = null]) => operate(operator, first, second, expression))
  return operate(operator, left, right, expression)
}

function choiceValue(expression: Of<'choice'>, frame: Frame): Value {
  const condition = evaluate(expression.condition, frame)
  if (condition instanceof Open) {
    const choices = [condition, evaluate(expression.yes, frame), evaluate(expression.no, frame)]
    return openOf('?:', choices, ([first = null, yes = null, no = null]) => (first === true ? yes : no))
  }
  if (typeof condition !== 'boolean') throw new Refusal(expression.condition, `a condition is true or false, not ${kindOf(condition)}`)
  return evaluate(condition ? expression.yes : expression.no, frame)
}
