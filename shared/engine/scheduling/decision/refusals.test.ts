import { describe, expect, it } from 'vitest'
import { hence, MINUTE, NOW } from '../../../../test/builders/clock.ts'
import { instanceType, offering } from '../../../../test/builders/instanceType.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod, pods } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import type { ClusterEvent } from '../../../model/decision.ts'
import type { CapacityType } from '../../../model/instanceType.ts'
import { LABEL } from '../../../model/labels.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { decideProvisioning } from '../planningState.ts'

const TAINTED = { taints: [{ key: 'a', effect: 'NoSchedule' }] } as const
const IN_ONE_ZONE = { requirements: [{ key: LABEL.zone, operator: 'In', values: ['eastus-1'] }] } as const
const OVER_TWO_ZONES = {
  maxSkew: 1,
  topologyKey: LABEL.zone,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: { matchLabels: { app: 'a' }, matchExpressions: [] },
  minDomains: 2,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
} as const
const SPOT = { requirements: [{ key: LABEL.capacityType, operator: 'In', values: ['spot'] }] } as const

function eventsOf(shape: SnapshotShape): readonly ClusterEvent[] {
  return decideProvisioning(snapshot(shape)).actions.flatMap((action) => (action.kind === 'publish' ? [action.event] : []))
}

function limitedTo(cpus: number): SnapshotShape {
  return { objects: { pod: [pod({ cpus: 3 })], nodePool: [nodePool({ limits: { cpu: cpus * 1000 } })] } }
}

describe('the event of a pod without a place', () => {
  it('begins with the pool that came furthest, and names pools that say the same together', () => {
    const nodePools = [
      nodePool({ name: 'red', template: TAINTED }),
      nodePool({ name: 'blue', template: TAINTED }),
      nodePool({ limits: { cpu: 1000 } }),
    ]
    const [event] = eventsOf({ objects: { pod: [pod({ cpus: 3 })], nodePool: nodePools } })
    expect(event?.message).toBe(
      'Failed to schedule pod, nodepool default: limit of cpu: 1 left, the smallest machine that fits needs 4; ' +
        'nodepools red, blue: untolerated taint a:NoSchedule; ' +
        'to do: raise spec.limits.cpu of the nodepool, or remove nodes of the nodepool (POOL.LIMIT)',
    )
  })

  it('spells out four reasons', () => {
    const nodePools = [1, 2, 3, 4, 5, 6].map((number) =>
      nodePool({ name: `pool${number}`, template: { taints: [{ key: `taint${number}`, effect: 'NoSchedule' }] } }),
    )
    const [event] = eventsOf({ objects: { pod: [pod()], nodePool: nodePools } })
    expect(event?.message.split('; ')).toHaveLength(6)
    expect(event?.message).toContain('and 2 more reasons of other nodepools; to do: add a toleration')
  })

  it('says how many domains a spread asks for', () => {
    const pod = pods(2, { labels: { app: 'a' }, topologySpread: [OVER_TWO_ZONES] })
    const events = eventsOf({ objects: { pod, nodePool: [nodePool({ template: IN_ONE_ZONE })] } })
    expect(events.map(({ message }) => message)).toEqual([
      'Failed to schedule pod, nodepool default: topology spread of pods app=a over topology.kubernetes.io/zone with maxSkew 1 and minDomains 2: ' +
        'does not allow eastus-1 (pods counted: eastus-1: 1; fewer domains than 2, so the least count is 0); ' +
        'to do: allow more domains, or raise maxSkew in spec.topologySpreadConstraints of the pod (SCHEDULING.SPREAD)',
    ])
  })

  it('is the same one when only numbers changed, and another when the reason did', () => {
    const [before] = eventsOf(limitedTo(2))
    const [after] = eventsOf(limitedTo(1))
    const [other] = eventsOf({ objects: { pod: [pod({ cpus: 3 })], nodePool: [nodePool({ template: TAINTED })] } })
    expect(before?.message).not.toBe(after?.message)
    expect(before?.key).toBe(after?.key)
    expect(before?.key).not.toBe(other?.key)
  })

  it('is carried by fifty pods alike; the last says how many more there are', () => {
    const events = eventsOf({ objects: { pod: pods(60, { cpus: 100 }) } })
    expect(events).toHaveLength(50)
    expect(events.filter(({ message }) => message.includes('10 more pods like it'))).toHaveLength(1)
    expect(new Set(events.map(({ key }) => key)).size).toBe(1)
  })
})

describe('a pool without quota', () => {
  const full = (quotaOf: number) => instanceType({ offerings: [offering({ quotaOf }), offering({ zone: 'eastus-2', quotaOf })] })
  const WANT =
    'quota in eastus leaves no room for any instance type that the nodepool allows: standardDasv6Family has 0 of 0 cores in use; raise the quota in Azure'

  it('refuses with the quota, its limit and what to do', () => {
    const { reasons } = decideProvisioning(snapshot({ types: [full(0)], objects: { pod: [pod()] } }))
    expect(reasons[0]).toMatchObject({ code: 'AZURE.QUOTA.FAMILY', message: expect.stringContaining(WANT) })
    expect(reasons[0]?.per?.[0]).toMatchObject({
      code: 'AZURE.QUOTA.FAMILY',
      fields: { quota: 'standardDasv6Family', region: 'eastus', limit: 0, used: 0 },
    })
  })

  it('for what the pod asks for refuses with the quota too', () => {
    const offerings = [offering({ quotaOf: 0 }), offering({ capacityType: 'spot' })]
    const shape = { types: [instanceType({ offerings })], objects: { pod: [pod({ nodeSelector: { [LABEL.capacityType]: 'on-demand' } })] } }
    expect(eventsOf(shape)[0]?.message).toContain(WANT)
  })

  it('says quota where Azure refused for it lately, beside what else it refused for', () => {
    const blocked = (code: ProblemCode, capacityType: CapacityType) =>
      ({ scope: { kind: 'capacityType', capacityType }, until: hence(MINUTE), code, message: '' }) as const
    const types = [instanceType({ offerings: [offering({}), offering({ capacityType: 'spot' })] })]
    const unavailable = [blocked('AZURE.QUOTA.SPOT', 'spot'), blocked('AZURE.ALLOCATION.REGION', 'on-demand')]
    const anywhere = { pod: [pod()], nodePool: [nodePool({ template: { requirements: [] } })] }
    expect(eventsOf({ types, unavailable, objects: anywhere })[0]?.message).toContain(
      'none of 1 instance types can be bought now in the zones and capacity types allowed: ' +
        'the quota leaves no room (AZURE.QUOTA.SPOT), Azure refused recent launches (AZURE.ALLOCATION.REGION); ' +
        'Azure is asked again from 2026-01-01T00:01:00Z; to do: ',
    )
    const short = [instanceType({ offerings: [offering({ quotaOf: 4 }), offering({ capacityType: 'spot' })] })]
    expect(eventsOf({ types: short, unavailable: unavailable.slice(0, 1), objects: anywhere })[0]?.message).toContain(
      'the quota leaves no room (AZURE.QUOTA.FAMILY, AZURE.QUOTA.SPOT)',
    )
  })

  it('says how often Azure refused in a row, and when it is asked again', () => {
    const again = { times: 4, at: NOW, openedAt: NOW, firstMs: MINUTE }
    const scope = { kind: 'capacityType', capacityType: 'on-demand' } as const
    const unavailable = [{ scope, until: hence(MINUTE), code: 'AZURE.ALLOCATION.REGION', message: '', again } as const]
    const types = [instanceType({ offerings: [offering({})] })]
    expect(eventsOf({ types, unavailable, objects: { pod: [pod()] } })[0]?.message).toContain(
      'Azure refused recent launches (AZURE.ALLOCATION.REGION); Azure refused 4 times in a row and is asked again from 2026-01-01T00:01:00Z',
    )
  })

  it('is not blamed on quota where something else is in the way as well', () => {
    const offerings = [offering({ quotaOf: 0 }), offering({ zone: 'eastus-2', available: false })]
    const { reasons } = decideProvisioning(snapshot({ types: [instanceType({ offerings })], objects: { pod: [pod()] } }))
    expect(reasons[0]?.code).toBe('SCHEDULING.OFFERING')
    const spotPool = { pod: [pod()], nodePool: [nodePool({ template: SPOT })] }
    expect(decideProvisioning(snapshot({ types: [full(0)], objects: spotPool })).reasons[0]?.code).toBe('POOL.NO_INSTANCE_TYPE')
  })
})
