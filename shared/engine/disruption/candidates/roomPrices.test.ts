import { describe, expect, it } from 'vitest'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { instanceType } from '../../../../test/builders/instanceType.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../../test/builders/pod.ts'
import { resources } from '../../../../test/builders/resources.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import { LABEL } from '../../../model/labels.ts'
import { usdPerHour } from '../../../model/units.ts'
import { fleetSnapshotOf } from '../../cluster/fleet.ts'
import { candidatesIn, withCosts } from './candidate.ts'
import { byGain, roomPricesOf, stayingOf } from './roomPrices.ts'

const GIB = 1024 ** 3
const NO_OVERHEAD = resources(0, 0)
const BALANCED = instanceType({ cpus: 4, memoryGib: 16, price: 0.2, spotPrice: null, overhead: NO_OVERHEAD })
const WITH_MEMORY = instanceType({
  name: 'Standard_E4as_v6',
  cpus: 4,
  memoryGib: 32,
  price: 0.26,
  spotPrice: null,
  overhead: NO_OVERHEAD,
})

type Machine = { readonly type: typeof BALANCED; readonly pods: readonly PodShape[]; readonly capacityType?: string }

function clusterOf(machines: readonly Machine[], types = [BALANCED, WITH_MEMORY]) {
  const named = machines.map((each, at) => ({ ...each, name: `default-${String(at).padStart(2, '0')}` }))
  const roomOf = ({ capacity }: typeof BALANCED) => ({ capacity, allocatable: capacity })
  return snapshot({
    types,
    objects: {
      nodePool: [nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidationPolicy: 'WhenEmptyOrUnderutilized' } })],
      nodeClaim: named.map(({ name, type, capacityType = 'on-demand' }) =>
        nodeClaim({ name, size: type.name, capacityType, status: roomOf(type) }),
      ),
      node: named.map(({ name, type, capacityType = 'on-demand' }) =>
        node({ claim: name, size: type.name, capacityType, ...roomOf(type) }),
      ),
      pod: named.flatMap(({ name, pods }) => pods.map((shape, at) => pod({ name: `${name}-${at}`, ...shape, nodeName: nodeNameOf(name) }))),
    },
  })
}

function weighedIn(given: ReturnType<typeof clusterOf>) {
  const fleet = fleetSnapshotOf(given)
  const candidates = candidatesIn(fleet.fleet.all(), fleet, () => true).map(withCosts(fleet))
  return { fleet, candidates, prices: roomPricesOf(candidates) }
}

function pricesOf(machines: readonly Machine[]) {
  const { prices } = weighedIn(clusterOf(machines))
  return { ofCpu: 1_000 * (prices?.cpu ?? Number.NaN), ofGib: GIB * (prices?.memory ?? Number.NaN) }
}

describe('the prices of room', () => {
  it('are those of CPUs alone where the cheapest machine for a CPU has memory enough', () => {
    const { ofCpu, ofGib } = pricesOf([
      { type: BALANCED, pods: [{ cpus: 1, memoryGib: 1 }] },
      { type: WITH_MEMORY, pods: [] },
    ])
    expect(ofCpu).toBeCloseTo(usdPerHour(0.05), 0)
    expect(ofGib).toBeCloseTo(0, 0)
  })

  it('make two machines worth their prices where both are needed', () => {
    const { ofCpu, ofGib } = pricesOf([
      { type: BALANCED, pods: [{ cpus: 1, memoryGib: 6 }] },
      { type: WITH_MEMORY, pods: [] },
    ])
    expect(4 * ofCpu + 16 * ofGib).toBeCloseTo(usdPerHour(0.2), 0)
    expect(4 * ofCpu + 32 * ofGib).toBeCloseTo(usdPerHour(0.26), 0)
  })

  it('are those of the machines that are there, whatever can be bought', () => {
    const { prices } = weighedIn(clusterOf([{ type: WITH_MEMORY, pods: [{ cpus: 1, memoryGib: 1 }] }]))
    expect(1_000 * (prices?.cpu ?? 0)).toBeCloseTo(usdPerHour(0.065), 0)
  })

  it('are unknown if no machine has a price, or if no pod asks for anything', () => {
    expect(weighedIn(clusterOf([{ type: BALANCED, pods: [{ cpus: 1, memoryGib: 1 }] }], [])).prices).toBeUndefined()
    expect(weighedIn(clusterOf([{ type: BALANCED, pods: [] }])).prices).toBeUndefined()
  })
})

function stayingIn(machines: readonly Machine[], types = [BALANCED, WITH_MEMORY]): readonly string[] {
  const { candidates, prices } = weighedIn(clusterOf(machines, types))
  return prices === undefined ? [] : [...stayingOf(candidates, prices)].map(({ claim }) => claim.name).sort()
}

describe('machines stay', () => {
  const asking = (cpus: number): Machine => ({ type: BALANCED, pods: [{ cpus, memoryGib: 1 }] })

  it('until their room holds the pods of all, first those that cost least beyond the worth of their pods', () => {
    expect(stayingIn([asking(1), asking(3), asking(0.5), asking(2)])).toEqual(['default-01', 'default-03'])
    expect(stayingIn([asking(1), asking(3), asking(1.5), asking(3)])).toEqual(['default-01', 'default-02', 'default-03'])
  })

  it('until they hold the memory as well', () => {
    const full: Machine = { type: BALANCED, pods: [{ cpus: 1, memoryGib: 12 }] }
    expect(stayingIn([full, full, full])).toHaveLength(3)
  })

  it('unless their room costs more than that of others, whatever their capacity type', () => {
    const atOnePrice = { ...WITH_MEMORY, offerings: instanceType({ price: 0.26, spotPrice: 0.26 }).offerings }
    const pods = [{ cpus: 3, memoryGib: 1 }]
    const dear: readonly Machine[] = [
      { type: WITH_MEMORY, pods },
      { type: WITH_MEMORY, capacityType: 'spot', pods },
    ]
    expect(stayingIn([{ type: BALANCED, pods }, ...dear], [BALANCED, atOnePrice])).toEqual(['default-00'])
  })
})

const THREE_SMALL = Array.from({ length: 3 }, () => ({ cpus: 0.66, memoryGib: 1 }))
const TWO_LARGE = Array.from({ length: 2 }, () => ({ cpus: 1, memoryGib: 1 }))

it('the machine goes first that costs most beyond the worth of its pods, for each pod', () => {
  const { candidates, prices } = weighedIn(
    clusterOf([
      { type: BALANCED, pods: TWO_LARGE },
      { type: WITH_MEMORY, pods: THREE_SMALL },
    ]),
  )
  const order = prices && candidates.toSorted(byGain(prices)).map(({ claim }) => claim.name)
  expect(order).toEqual(['default-01', 'default-00'])
})

function goneFrom(machines: readonly Machine[], types = [BALANCED, WITH_MEMORY]): readonly string[] {
  return disruptionOf(clusterOf(machines, types)).actions.flatMap((action) => {
    if (action.kind === 'deleteClaim') return [action.claim]
    return action.kind === 'startCommand' ? action.command.candidates.map(({ claim }) => claim) : []
  })
}

describe('of more than sixteen machines', () => {
  it('those with dear room go, though those with cheap room have fewer pods', () => {
    const machines = Array.from(
      { length: 20 },
      (_, at): Machine => (at % 2 === 0 ? { type: BALANCED, pods: TWO_LARGE } : { type: WITH_MEMORY, pods: THREE_SMALL }),
    )
    const gone = goneFrom(machines)
    expect(gone).toHaveLength(10)
    expect(gone.every((name) => Number(name.slice(-2)) % 2 === 1)).toBe(true)
  })

  it('those say that others go first whose room the pods need', () => {
    const [kept, gone]: readonly Machine[] = [
      { type: BALANCED, pods: TWO_LARGE },
      { type: WITH_MEMORY, pods: THREE_SMALL },
    ]
    const machines = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? kept : gone)).flatMap((each) => each ?? [])
    const { reasons } = disruptionOf(clusterOf(machines))
    expect(reasons.map(({ code, subject }) => `${code} ${subject.name}`)).toEqual(
      Array.from({ length: 10 }, (_, at) => `DISRUPTION.WAVE default-${String(2 * at).padStart(2, '0')}`),
    )
  })

  it('dear ones take pods if these find room nowhere else, and nothing cheaper can be bought for them', () => {
    const pods = [{ cpus: 1, memoryGib: 1, nodeSelector: { [LABEL.instanceType]: WITH_MEMORY.name } }]
    const dear = Array.from({ length: 20 }, (): Machine => ({ type: WITH_MEMORY, pods }))
    expect(goneFrom([{ type: BALANCED, pods: [{ cpus: 4, memoryGib: 1 }] }, ...dear])).toHaveLength(15)
  })

  it.each([
    ['are not merged to save next to nothing for their pods', 0.39, 0],
    ['are merged to save a tenth', 0.36, 16],
  ])('full ones %s', (_, price, wantLeast) => {
    const large = instanceType({ name: 'Standard_D8as_v6', cpus: 8, memoryGib: 32, price, spotPrice: null, overhead: NO_OVERHEAD })
    const machines = Array.from({ length: 20 }, () => ({ type: BALANCED, pods: [{ cpus: 4, memoryGib: 4 }] }))
    const gone = goneFrom(machines, [BALANCED, large])
    expect(gone.length >= wantLeast && (wantLeast > 0 || gone.length === 0), String(gone.length)).toBe(true)
  })
})
