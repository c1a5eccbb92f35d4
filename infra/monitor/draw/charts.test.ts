import { expect, it } from 'vitest'
import { table } from './charts.ts'

it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e16])('a table shows no value for the time %s', (until) => {
  expect(table([{ until, sku: 'a' }])).toContain('<td>–</td>')
  expect(table([{ until: 0 }])).toContain('1970-01-01 00:00:00')
})
