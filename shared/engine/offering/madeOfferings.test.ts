import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClassName, zoneName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import type { RefusedAgain, UnavailableOffering, UnavailableScope } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import { madeOfferings } from './sizeReports.ts'

const TYPE = instanceType({ zones: ['eastus-1', 'eastus-2'] })
const TYPES = new Map([[nodeClassName('default'), [TYPE]]])
const FAMILY = { kind: 'family', family: TYPE.family, minCpus: TYPE.cpus } as const

type Shape = { readonly size?: string; readonly zone?: string; readonly capacityType?: string; readonly hasJoined?: boolean }

/** A machine that was launched at this time. */
function machine(launchedAt: EpochMs, { size = TYPE.name, zone = 'eastus-1', capacityType = 'on-demand', hasJoined = true }: Shape = {}) {
  const labels = { [LABEL.instanceType]: size, [LABEL.zone]: zone, [LABEL.capacityType]: capacityType }
  const launched = { ...condition('Launched'), lastTransitionAt: launchedAt }
  return nodeClaim({ meta: { labels }, status: { conditions: hasJoined ? [launched, condition('Registered')] : [launched] } })
}

function refused(scope: UnavailableScope, again?: Partial<RefusedAgain>): UnavailableOffering {
  const block = { scope, until: NOW, code: 'AZURE.ALLOCATION.ZONE', message: 'no room' } as const
  return again === undefined
    ? block
    : { ...block, again: { times: 2, at: ago(2 * HOUR), openedAt: ago(2 * HOUR), firstMs: HOUR, ...again } }
}

const made = (claims: readonly ReturnType<typeof machine>[], ...blocks: readonly UnavailableOffering[]) =>
  madeOfferings(blocks, claims, TYPES)

describe('a refused scope of which a machine was made since', () => {
  it.each<[sentence: string, scope: UnavailableScope]>([
    ['the size', { kind: 'offering', size: TYPE.name }],
    ['the size in the zone', { kind: 'offering', size: TYPE.name, zone: zoneName('eastus-1'), capacityType: 'on-demand' }],
    ['the family', FAMILY],
    ['the capacity type', { kind: 'capacityType', capacityType: 'on-demand' }],
  ])('may be %s', (_sentence, scope) =>
    expect(made([machine(hence(MINUTE))], refused(scope))).toEqual([{ scope, launchedAt: hence(MINUTE + 999) }]),
  )

  it.each<[sentence: string, shape: Shape]>([
    ['is of another size', { size: 'Standard_D8as_v6' }],
    ['is in another zone', { zone: 'eastus-2' }],
    ['is spot', { capacityType: 'spot' }],
    ['has not joined', { hasJoined: false }],
  ])('is none whose machine %s', (_sentence, shape) =>
    expect(made([machine(hence(MINUTE), shape)], refused({ ...FAMILY, zone: zoneName('eastus-1'), capacityType: 'on-demand' }))).toEqual(
      [],
    ),
  )

  it('is none whose machine was launched before the block ended', () => {
    expect(made([machine(ago(SECOND))], refused(FAMILY))).toEqual([])
    expect(made([machine(NOW)], refused(FAMILY))).toHaveLength(1)
  })

  it('is one whose machine was launched when the last refusal came, and none if earlier', () => {
    expect(made([machine(ago(2 * HOUR))], refused(FAMILY, {}))).toHaveLength(1)
    expect(made([machine(ago(2 * HOUR + SECOND))], refused(FAMILY, {}))).toEqual([])
  })

  it('has the launch of the last machine', () =>
    expect(made([machine(hence(MINUTE)), machine(hence(HOUR)), machine(NOW)], refused(FAMILY))).toMatchObject([
      { launchedAt: hence(HOUR + 999) },
    ]))
})
