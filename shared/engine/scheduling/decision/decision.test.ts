import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalog } from '../../../../test/builders/catalog.ts'
import { nodeClass } from '../../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { CreateClaim, Decision } from '../../../model/decision.ts'
import { nodeClassName } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { decideProvisioning } from '../planningState.ts'

/** A pod that leaves no room for another one on its machine. */
const alone = (name: string, priority: number, pool = 'default'): Pod =>
  pod({ name, priority, nodeSelector: { 'karpenter.sh/nodepool': pool }, hostPorts: [{ ip: '', port: 80, protocol: 'TCP' }] })

function decide(pods: readonly Pod[], rooms: { readonly [nodeClass: string]: readonly [subnet: string, machines: number] }): Decision {
  const subnetRooms = new Map(Object.entries(rooms).map(([name, [subnet, machines]]) => [nodeClassName(name), { subnet, machines }]))
  return decideProvisioning(
    snapshot({
      types: { default: catalog(), other: catalog() },
      objects: {
        pod: pods,
        nodeClass: [nodeClass(), nodeClass({ name: 'other' })],
        nodePool: [nodePool(), nodePool({ name: 'other', nodeClass: 'other' })],
      },
      ...(subnetRooms.size === 0 ? {} : { subnetRooms }),
    }),
  )
}

const claimsOf = ({ actions }: Decision): readonly CreateClaim[] => actions.filter((each) => each.kind === 'createClaim')
const placed = (decision: Decision) =>
  claimsOf(decision)
    .flatMap(({ pods }) => pods.map(({ key }) => key))
    .sort()
const waiting = ({ reasons }: Decision) => reasons.filter(({ code }) => code === 'AZURE.SUBNET_FULL').map(({ subject }) => subject.name)

describe('F17: a subnet with room for 3 of 10 machines', () => {
  const pods = Array.from({ length: 10 }, (_, index) => alone(`p${index}`, index === 4 || index === 7 ? 1_000 : 0))

  it('gets three, for the most important pods, and the others wait with its name', () => {
    const decision = decide(pods, { default: ['/subnets/small', 3] })
    expect(claimsOf(decision)).toHaveLength(3)
    expect(placed(decision)).toEqual(expect.arrayContaining(['default/p4', 'default/p7']))
    expect(waiting(decision)).toHaveLength(7)
    expect(decision.reasons[0]?.message).toContain('subnet /subnets/small has no address for another machine')
    const told = decision.actions.filter((each) => each.kind === 'publish')
    expect(told.map(({ event }) => event.reason)).toEqual(Array(7).fill('FailedScheduling'))
    expect(decision.wakeAt).toBeDefined()
  })

  it('gets all that there are if it has room, or if nobody knows its room', () => {
    const free = decide(pods, {})
    expect(claimsOf(free)).toHaveLength(10)
    expect(decide(pods, { default: ['/subnets/small', 10] })).toEqual(free)
    expect(decide(pods, { other: ['/subnets/small', 0] })).toEqual(free)
  })
})

describe('whatever waits and whatever room there is', () => {
  it('no subnet gets more machines than it has addresses, each pod is placed or told why, and no room is left while pods wait', () => {
    const some = fc.array(fc.record({ priority: fc.integer({ min: 0, max: 3 }), pool: fc.constantFrom('default', 'other') }), {
      maxLength: 12,
    })
    const rooms = fc.record({ default: fc.integer({ min: 0, max: 6 }), other: fc.integer({ min: 0, max: 6 }), isShared: fc.boolean() })
    fc.assert(
      fc.property(some, rooms, (asked, { isShared, ...room }) => {
        const pods = asked.map(({ priority, pool }, index) => alone(`p${index}`, priority, pool))
        const subnets = { default: 'a', other: isShared ? 'a' : 'b' }
        const machines = isShared ? { default: room.default, other: room.default } : room
        const decision = decide(pods, { default: [subnets.default, machines.default], other: [subnets.other, machines.other] })
        expect([...placed(decision), ...waiting(decision)].sort()).toEqual(pods.map(({ key }) => key).sort())
        for (const subnet of ['a', 'b']) {
          const isIn = (pool: string): boolean => subnets[pool === 'other' ? 'other' : 'default'] === subnet
          const made = claimsOf(decision).filter(({ draft }) => isIn(draft.nodePool)).length
          const wanted = asked.filter(({ pool }) => isIn(pool)).length
          const has = subnet === 'a' ? machines.default : isShared ? 0 : machines.other
          expect(made).toBe(Math.min(wanted, has))
        }
      }),
      { numRuns: 60 },
    )
  })
})
