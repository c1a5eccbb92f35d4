import { describe, expect, it } from 'vitest'
import { hence, NOW } from '../../../test/builders/clock.ts'
import { epochMs } from '../../model/units.ts'
import { createFindings, type Finding } from './findings.ts'
import { createFleet } from './fleet.ts'
import type { StateNode } from './stateNode.ts'

const machine = (name: string): StateNode => ({ name, pods: [], isInitialized: true, isDeleting: false })

/** A fleet of machines whose names say when they are found: `a` at once, `b5` in 5 ms. */
function setUp(...names: readonly string[]) {
  const fleet = createFleet()
  for (const name of names) fleet.set(name, machine(name))
  const findings = createFindings<string>()
  const look = (after = 0, again?: (each: StateNode) => boolean) => {
    const now = epochMs(NOW + after)
    const asked: string[] = []
    const rule = ({ name }: StateNode): Finding<string> => {
      asked.push(name)
      const due = hence(Number(name.slice(1)))
      return due <= now ? { found: name } : { until: due, wakeAt: due }
    }
    const { found, ...rest } = findings(fleet, now, rule, again)
    return { ...rest, found: found.toSorted(), asked: asked.sort() }
  }
  return { fleet, look }
}

describe('findings', () => {
  it('asks about every machine at first, then about found machines and machines whose time has come', () => {
    const { look } = setUp('a', 'b5', 'c9')
    expect(look()).toEqual({ asked: ['a', 'b5', 'c9'], found: ['a'], wakeAt: hence(5) })
    expect(look(4)).toEqual({ asked: ['a'], found: ['a'], wakeAt: hence(5) })
    expect(look(5)).toEqual({ asked: ['a', 'b5'], found: ['a', 'b5'], wakeAt: hence(9) })
    expect(look(9)).toEqual({ asked: ['a', 'b5', 'c9'], found: ['a', 'b5', 'c9'] })
  })

  it('asks about machines that changed, and forgets machines that are gone', () => {
    const { fleet, look } = setUp('a', 'b5')
    look()
    fleet.set('c', machine('c'))
    fleet.set('a', undefined)
    fleet.set('b5', machine('b7'))
    expect(look()).toEqual({ asked: ['b7', 'c'], found: ['c'], wakeAt: hence(7) })
  })

  it('asks again where it is told to', () => {
    const { look } = setUp('a', 'b5', 'c9')
    look()
    expect(look(1, ({ name }) => name === 'c9').asked).toEqual(['a', 'c9'])
  })

  it('begins anew with another fleet', () => {
    const findings = createFindings<string>()
    const rule = ({ name }: StateNode): Finding<string> => ({ found: name })
    const fleetOf = (name: string) => {
      const fleet = createFleet()
      fleet.set(name, machine(name))
      return fleet
    }
    findings(fleetOf('a'), epochMs(NOW), rule)
    expect(findings(fleetOf('b'), epochMs(NOW), rule).found).toEqual(['b'])
  })
})
