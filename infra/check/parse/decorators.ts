// `@description('...')`, with or without `sys.` before the name.
import type { Cursor } from './cursor.ts'
import { readExpression } from './expressions.ts'
import { type Decorator, type Expression, Refusal } from './syntax.ts'

export function readDecorators(cursor: Cursor): readonly Decorator[] {
  const decorators: Decorator[] = []
  while (cursor.isAt('@')) {
    const place = cursor.place()
    cursor.expect('@')
    const call: Expression = readExpression(cursor)
    const isPlain = call.kind === 'call' && (call.on === undefined || (call.on.kind === 'name' && call.on.name === 'sys'))
    if (!isPlain) throw new Refusal(place, 'a decorator is a call such as @description(...)')
    decorators.push({ ...place, name: call.name, given: call.given })
  }
  return decorators
}
