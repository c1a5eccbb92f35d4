import { describe, expect, it } from 'vitest'
import { daemonSet } from '../../../../../test/builders/daemonSet.ts'
import { instanceType, oneOf } from '../../../../../test/builders/instanceType.ts'
import { nodePool } from '../../../../../test/builders/nodePool.ts'
import { emptyPlan } from '../../../../../test/builders/packing.ts'
import { pod } from '../../../../../test/builders/pod.ts'
import { snapshot } from '../../../../../test/builders/snapshot.ts'
import { objectKey } from '../../../../model/ids.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { HostPort, NodeSelectorTerm, TopologySpreadConstraint } from '../../../../model/pod.ts'
import type { Requirement } from '../../../../model/requirements.ts'
import type { Toleration } from '../../../../model/taint.ts'
import { type ConstraintParts, createConstraints } from '../../model/pods/constraint.ts'
import { createWork } from '../../model/quantities/work.ts'
import { decideProvisioning } from '../../planningState.ts'
import { wishMaker } from './choices.ts'

const SELECTOR = { matchLabels: { app: 'x' }, matchExpressions: [] }
const OVER_ZONES: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: LABEL.zone,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: SELECTOR,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
}

/** Sizes of two makers that differ in their names alone. */
const SIZES = [4, 8, 16].flatMap((cpus) =>
  ['a', 'b'].map((maker) =>
    instanceType({ name: `${maker}${cpus}`, cpus, memoryGib: 4 * cpus, price: cpus * (0.052 - cpus / 4000), spotPrice: null }),
  ),
)
const of = (maker: string) => SIZES.map(({ name }) => name).filter((name) => name.startsWith(maker))

function term(zones: readonly string[], sizes: readonly string[]): NodeSelectorTerm {
  const requirement = (key: string, values: readonly string[]) => ({ key, operator: 'In' as const, values })
  return { matchExpressions: [requirement(LABEL.zone, zones), requirement(LABEL.instanceType, sizes)], matchFields: [] }
}

function priceWith(requiredNodeTerms: readonly NodeSelectorTerm[], cpusOf: (index: number) => number): number {
  const pods = Array.from({ length: 600 }, (_, index) =>
    pod({ name: `p${index}`, cpus: cpusOf(index), memoryGib: 2, labels: { app: 'x' }, requiredNodeTerms, topologySpread: [OVER_ZONES] }),
  )
  const { actions } = decideProvisioning(snapshot({ types: SIZES, objects: { nodePool: [nodePool()], pod: pods } }))
  return actions.reduce((sum, action) => sum + (action.kind === 'createClaim' ? (action.choice.price ?? 0) : 0), 0)
}

describe('pods that are spread over zones', () => {
  it.each([
    ['few sizes', (index: number) => 1.3 + (index % 3) * 0.7],
    ['many sizes', (index: number) => 0.3 + (index % 7) * 0.45],
  ] as const)('cost no more when each of their terms has a zone of its own: %s', (_, cpusOf) => {
    const apart = priceWith([term(['eastus-1'], of('a')), term(['eastus-2'], of('b'))], cpusOf)
    expect(apart).toBe(priceWith([term(['eastus-1', 'eastus-2'], of('a'))], cpusOf))
  })
})

const TYPES = ['a', 'b'].map((name) => instanceType({ name, zones: ['eastus-1', 'eastus-2'] }))
const TEAM = 'example.com/team'
/** The pool defines one label of the user, excludes one value of another label, and has one taint. */
const POOL = nodePool({
  template: {
    requirements: [
      { key: TEAM, operator: 'In', values: ['x', 'y'] },
      { key: LABEL.arch, operator: 'NotIn', values: ['arm64'] },
    ],
    taints: [{ key: 'taint', value: '', effect: 'NoSchedule' }],
  },
})
const PORT: HostPort = { ip: '', port: 80, protocol: 'TCP' }

type Asked = Partial<Omit<ConstraintParts, 'wanted' | 'places'>> & {
  readonly pins?: readonly (readonly [string, string])[]
  readonly alternatives?: readonly (readonly Requirement[])[]
}

/** Reports whether pods that ask for these have one wish. */
function areOne(first: Asked, second: Asked, daemonPorts: readonly HostPort[] = []): boolean {
  const objects = {
    pod: [pod()],
    nodePool: [POOL],
    daemonSet: [daemonSet({ hostPorts: daemonPorts, tolerations: [{ operator: 'Exists' }] })],
  }
  const wishOf = wishMaker(emptyPlan(snapshot({ types: TYPES, objects })).poolOptions, createWork())
  const constraints = createConstraints()
  const [one, other] = [first, second].map(({ pins = [], alternatives = [[]], ...parts }) => {
    const wanted = alternatives.map((each) => new Map(each.map((requirement) => [requirement.key, requirement])))
    const constraint = constraints.of({ tolerations: [], hostPorts: [], apartFrom: [], wanted, places: [new Map()], ...parts })
    return wishOf(constraint, new Map(pins))
  })
  return one === other
}

it('each toleration that is compared with a taint, and each value that is looked up, is a step', () => {
  const work = createWork()
  const wishOf = wishMaker(emptyPlan(snapshot({ types: TYPES, objects: { pod: [pod()], nodePool: [POOL] } })).poolOptions, work)
  const constraints = createConstraints()
  const places = { hostPorts: [], apartFrom: [], places: [new Map()] }
  const tolerations = Array.from({ length: 100 }, (_, at): Toleration => ({ key: `t${at}`, operator: 'Exists' }))
  wishOf(constraints.of({ ...places, tolerations, wanted: [new Map()] }), new Map())
  expect(work.joins).toBe(100)
  const zones = oneOf(
    LABEL.zone,
    Array.from({ length: 100 }, (_, at) => `z${at}`),
  )
  wishOf(constraints.of({ ...places, tolerations: [], wanted: [new Map([[zones.key, zones]])] }), new Map())
  expect(work.joins).toBe(201)
})

const asks = (...requirements: readonly Requirement[]): Asked => ({ alternatives: [requirements] })
const oneOfAll = (...all: readonly Requirement[]): Asked => ({ alternatives: all.map((each) => [each]) })
const notIn = (key: string, ...values: readonly string[]): Requirement => ({ key, complement: true, values })
const exists = (key: string): Requirement => ({ key, complement: true, values: [] })
const absent = (key: string): Requirement => ({ key, complement: false, values: [] })
const above = (key: string, gte: number): Requirement => ({ key, complement: true, values: [], gte })
const tolerates = (key: string): Asked => ({ tolerations: [{ key, operator: 'Exists' } satisfies Toleration] })

const ZONE_1 = oneOf(LABEL.zone, ['eastus-1'])
const ZONE_2 = oneOf(LABEL.zone, ['eastus-2'])
const NOWHERE = 'example.com/nowhere'

describe('wishes that no machine can tell apart', () => {
  it.each<readonly [string, Asked, Asked]>([
    ['NotIn on a label that nothing defines', asks(notIn(NOWHERE, 'v')), {}],
    ['DoesNotExist on a label that nothing defines', asks(absent(NOWHERE)), {}],
    ['values of NotIn that no machine has', asks(notIn(LABEL.instanceType, 'a', 'c')), asks(notIn(LABEL.instanceType, 'a'))],
    ['values of In that no machine has', asks(oneOf(LABEL.instanceType, ['a', 'c'])), asks(oneOf(LABEL.instanceType, ['a']))],
    ['an alternative whose values no machine has', oneOfAll(ZONE_1, oneOf(LABEL.zone, ['westus-1'])), asks(ZONE_1)],
    ['tolerations of taints that no pool has', tolerates('other'), {}],
    ['tolerations in other words', tolerates('taint'), { tolerations: [{ operator: 'Exists' }] }],
    ['host ports that no DaemonSet takes', { hostPorts: [PORT] }, {}],
  ])('are one: %s', (_, first, second) => {
    expect(areOne(first, second)).toBe(true)
  })

  it.each<readonly [string, Asked, Asked]>([
    ['other values', asks(ZONE_1), asks(ZONE_2)],
    ['In and NotIn', asks(ZONE_1), asks(notIn(LABEL.zone, 'eastus-1'))],
    ['In and NotIn of a value that no machine has', asks(oneOf(LABEL.zone, ['westus-1'])), asks(notIn(LABEL.zone, 'westus-1'))],
    ['other labels', asks(exists(NOWHERE)), asks(exists(TEAM))],
    ['other bounds', asks(above(TEAM, 1)), asks(above(TEAM, 2))],
    ['NotIn on a label that the pool defines', asks(notIn(TEAM, 'x')), {}],
    ['DoesNotExist on a label that the pool defines', asks(absent(TEAM)), {}],
    ['NotIn on a well-known label', asks(notIn(LABEL.zone, 'eastus-1')), {}],
    ['Exists on a label that nothing defines', asks(exists(NOWHERE)), {}],
    ['a bound on a label that nothing defines', asks(above(NOWHERE, 1)), {}],
    ['values of a label that some machines lack', asks(oneOf(TEAM, ['x', 'z'])), asks(oneOf(TEAM, ['x']))],
    ['values of a label that the pool may leave open', asks(oneOf(LABEL.arch, ['amd64', 'x'])), asks(oneOf(LABEL.arch, ['amd64']))],
    ['no alternative that a machine can meet', asks(oneOf(LABEL.zone, ['westus-1'])), {}],
    ['an alternative more', oneOfAll(ZONE_1, ZONE_2), asks(ZONE_1)],
    ['a toleration of the taint of the pool', tolerates('taint'), {}],
    ['DaemonSets to keep apart from', { apartFrom: [objectKey('kube-system', 'agent')] }, {}],
    ['pins', { pins: [[LABEL.zone, 'eastus-1']] }, {}],
    ['other pins', { pins: [[LABEL.zone, 'eastus-1']] }, { pins: [[LABEL.zone, 'eastus-2']] }],
  ])('are two: %s', (_, first, second) => {
    expect(areOne(first, second)).toBe(false)
  })

  it('are two with other host ports if a DaemonSet takes some', () => {
    expect(areOne({ hostPorts: [PORT] }, {}, [PORT])).toBe(false)
  })
})
