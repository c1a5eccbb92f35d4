import { describe, expect, it } from 'vitest'
import { type Labels, parseLabelSelector, specSelector } from './selectors.ts'

const LABELS: Labels = { app: 'web', tier: 'front', weight: '10', empty: '' }

describe('a selector in a query', () => {
  const table: readonly (readonly [text: string, selects: boolean])[] = [
    ['app=web', true],
    ['app==web', true],
    [' app = web ', true],
    ['app=db', false],
    ['gone=web', false],
    ['empty=', true],
    ['app!=db', true],
    ['app!=web', false],
    ['gone!=x', true],
    ['app', true],
    ['empty', true],
    ['gone', false],
    ['!gone', true],
    ['! gone', true],
    ['!app', false],
    ['app in (db, web)', true],
    ['app in (db)', false],
    ['gone in (db)', false],
    ['app notin (db)', true],
    ['app notin (db,web)', false],
    ['gone notin (db)', true],
    ['weight>9', true],
    ['weight>10', false],
    ['weight<11', true],
    ['weight<10', false],
    ['gone>1', false],
    ['gone<1', false],
    ['app=web,tier in (front,back),!gone', true],
    ['app=web,tier=back', false],
    ['tier=back,app=web', false],
  ]
  it.each(table)('%s: %s', (text, selects) => {
    expect(parseLabelSelector(text)?.(LABELS)).toBe(selects)
  })

  it.each(['', '  '])('may select everything: %j', (text) => {
    expect(parseLabelSelector(text)).toBeUndefined()
  })

  it.each(['=web', 'app in', 'app in web', 'app=web=db', 'app=web,', 'app in (a', '!a=b', 'a b'])(
    'is refused where it is none: %s',
    (text) => {
      expect(() => parseLabelSelector(text)).toThrow('unable to parse requirement')
    },
  )
})

describe('a selector in a spec', () => {
  const expression = (operator: string, key: string, ...values: readonly string[]) => ({ matchExpressions: [{ key, operator, values }] })
  const table: readonly (readonly [selector: object, selects: boolean])[] = [
    [{}, true],
    [{ matchLabels: { app: 'web' } }, true],
    [{ matchLabels: { app: 'web', tier: 'back' } }, false],
    [expression('In', 'app', 'db', 'web'), true],
    [expression('In', 'app', 'db'), false],
    [expression('In', 'gone', 'db'), false],
    [expression('NotIn', 'app', 'db'), true],
    [expression('NotIn', 'app', 'web'), false],
    [expression('NotIn', 'gone', 'web'), true],
    [expression('Exists', 'empty'), true],
    [expression('Exists', 'gone'), false],
    [expression('DoesNotExist', 'gone'), true],
    [expression('DoesNotExist', 'app'), false],
    [expression('Like', 'app', 'web'), false],
    [{ matchLabels: { app: 'web' }, ...expression('Exists', 'gone') }, false],
    [{ matchLabels: { app: 'db' }, ...expression('Exists', 'app') }, false],
  ]
  it.each(table)('%j: %s', (selector, selects) => {
    expect(specSelector({ ...selector })(LABELS)).toBe(selects)
  })
})
