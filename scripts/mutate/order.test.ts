import { describe, expect, it } from 'vitest'
import { orderOf } from './order.ts'

describe('what is asked for', () => {
  it('is a recorded run over 200 lines, unless more is said', () => {
    expect(orderOf(['shim'])).toMatchObject({ folders: [{ folder: 'shim' }], seed: 1, lines: 200, records: true })
    expect(orderOf(['shim', '--seed', '3', '--lines', '40', '--no-record'])).toMatchObject({ seed: 3, lines: 40, records: false })
  })

  it.each([
    { args: [], says: /name one or more/ },
    { args: ['nowhere'], says: /nowhere is not one/ },
    { args: ['shim', '--seed', 'x'], says: /--seed x / },
    { args: ['shim', '--seed', '1.5'], says: /--seed 1\.5 / },
    { args: ['shim', '--lines', 'many'], says: /--lines many / },
    { args: ['shim', '--lines', '0'], says: /--lines 0 / },
  ])('is refused as $args', ({ args, says }) => expect(orderOf(args)).toMatch(says))

  it('may be one line', () => expect(orderOf(['shim', '--lines', '1'])).toMatchObject({ lines: 1 }))
})
