import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { SILENT } from '../../../test/builders/telemetry.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, vmSizeName, zoneName } from '../../model/ids.ts'
import type { UnavailableScope } from '../../model/unavailableOffering.ts'
import { reportTerminated, reportUnavailable } from './reportClaim.ts'

type Told = { readonly name: string; readonly [field: string]: unknown }

/** Dependencies of the flows, and the telemetry events that they write. */
function scene() {
  const told: Told[] = []
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const telemetry = { ...SILENT, event: (name: string, fields: object) => void told.push({ ...fields, name }) }
  return { told, deps: { ...world.ports, settings: settings(), telemetry } }
}

const SIZE = vmSizeName('Standard_D4as_v6')
const ZONE = zoneName('eastus-1')

describe('what Azure refuses', () => {
  it.each<[sentence: string, scope: UnavailableScope, want: object]>([
    [
      'a size in a zone',
      { kind: 'offering', size: SIZE, zone: ZONE, capacityType: 'spot' },
      { sku: SIZE, zone: ZONE, capacityType: 'spot' },
    ],
    ['a size everywhere', { kind: 'offering', size: SIZE }, { sku: SIZE, zone: undefined, capacityType: undefined }],
    ['a family', { kind: 'family', family: 'f', minCpus: 8, zone: ZONE }, { sku: 'family f', zone: ZONE, capacityType: undefined }],
    ['all spot machines', { kind: 'capacityType', capacityType: 'spot' }, { sku: undefined, zone: undefined, capacityType: 'spot' }],
  ])('is told with what it is about and for how long: %s', (_sentence, scope, want) => {
    const { told, deps } = scene()
    reportUnavailable(deps, [{ scope, until: hence(3 * MINUTE), code: 'AZURE.ALLOCATION.ZONE', message: '' }])
    expect(told).toEqual([
      { name: 'offering.unavailable', cluster: 'test', errorCode: 'AZURE.ALLOCATION.ZONE', unavailableSeconds: 180, refusals: 1, ...want },
    ])
  })

  it('is told with the number of refusals in a row', () => {
    const { told, deps } = scene()
    const again = { times: 3, at: NOW, openedAt: NOW, firstMs: MINUTE }
    const scope = { kind: 'offering', size: SIZE } as const
    reportUnavailable(deps, [{ scope, until: hence(3 * MINUTE), code: 'AZURE.ALLOCATION.ZONE', message: '', again }])
    expect(told).toMatchObject([{ refusals: 3, unavailableSeconds: 180 }])
  })
})

it('a claim that ended tells how long that took, and how long it lived', () => {
  const { told, deps } = scene()
  reportTerminated(deps, nodeClaim({ meta: { createdAt: ago(60 * MINUTE), deletedAt: ago(MINUTE) } }))
  expect(told).toMatchObject([
    { name: 'nodeclaim.terminated', nodeClaim: 'default-aaaaa', nodePool: 'default', terminationSeconds: 60, lifetimeSeconds: 3_600 },
  ])
})
