import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { add, NO_RESOURCES, type Resources, subtract } from '../../shared/model/resources.ts'
import { instanceType } from '../builders/instanceType.ts'
import { pod } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { outcomeOf } from './randomCase.ts'

/** Families of sizes. `gib` is the memory per CPU and `usd` the price per CPU. Both are the same in every size of the family. */
const FAMILIES = [
  { gib: 2, usd: 0.042 },
  { gib: 4, usd: 0.048 },
  { gib: 8, usd: 0.063 },
]

const aCatalog = fc.record({
  families: fc.subarray(FAMILIES, { minLength: 1 }),
  cores: fc.subarray([2, 4, 8, 16, 32], { minLength: 2 }),
  hasOverhead: fc.boolean(),
})

type Catalog = typeof aCatalog extends fc.Arbitrary<infer Value> ? Value : never

const aDeployment = fc.record({
  cpus: fc.constantFrom(0.25, 0.5, 1, 1.5),
  memoryGib: fc.constantFrom(0.5, 1, 2, 3),
  replicas: fc.integer({ min: 1, max: 20 }),
  isApart: fc.boolean(),
  zone: fc.constantFrom(undefined, 'eastus-1', 'eastus-2'),
})

type Deployment = typeof aDeployment extends fc.Arbitrary<infer Value> ? Value : never

describe('where a core costs the same in every size', () => {
  it('no two new machines could be one that costs no more', () => {
    fc.assert(
      fc.property(aCatalog, fc.array(aDeployment, { minLength: 1, maxLength: 8 }), (catalog, deployments) => {
        const types = sizesOf(catalog)
        const given = snapshot({ types, objects: { pod: deployments.flatMap(podsOf) } })
        const { decision } = outcomeOf(given)
        expect(violationsOf(given, decision)).toEqual([])
        const podOf = new Map(given.objects.pod.map((each) => [each.key, each]))
        const machines = decision.actions.flatMap((action) =>
          action.kind === 'createClaim'
            ? [{ price: action.choice.price ?? 0, pods: action.pods.flatMap(({ key }) => podOf.get(key) ?? []) }]
            : [],
        )
        const pairs = machines.flatMap((one, at) => machines.slice(at + 1).map((other) => [one, other] as const))
        expect(pairs.filter(([one, other]) => couldBeOne(one, other, types)).map(namesOf)).toEqual([])
      }),
      { numRuns: 150 },
    )
  })
})

describe('one pod alone', () => {
  const aSize = fc.record({
    cpus: fc.constantFrom(2, 4, 8, 16),
    gib: fc.constantFrom(2, 4, 8),
    price: fc.integer({ min: 1, max: 200 }),
    zone: fc.constantFrom('eastus-1', 'eastus-2'),
  })
  const aPod = fc.record({ cpus: fc.constantFrom(0.25, 1, 3, 7, 15), memoryGib: fc.constantFrom(0.5, 6, 30, 100) })

  it('gets the cheapest machine that holds it', () => {
    fc.assert(
      fc.property(fc.array(aSize, { minLength: 1, maxLength: 12 }), aPod, (sizes, asks) => {
        const types = sizes.map(({ cpus, gib, price, zone }, at) =>
          instanceType({ name: `size-${at}`, cpus, memoryGib: gib * cpus, price: price / 1000, spotPrice: null, zones: [zone] }),
        )
        const only = pod({ name: 'only', ...asks })
        const holding = types.filter(({ capacity, overhead }) => holds(subtract(capacity, overhead), only.requests))
        const prices = holding.flatMap(({ offerings }) => offerings.map((each) => each.price ?? Number.POSITIVE_INFINITY))
        expect(outcomeOf(snapshot({ types, objects: { pod: [only] } })).price).toBe(prices.length === 0 ? 0 : Math.min(...prices))
      }),
      { numRuns: 300 },
    )
  })
})

function sizesOf({ families, cores, hasOverhead }: Catalog): readonly InstanceType[] {
  return families.flatMap(({ gib, usd }) =>
    cores.map((cpus) =>
      instanceType({
        name: `of-${gib}-${cpus}`,
        cpus,
        memoryGib: gib * cpus,
        price: usd * cpus,
        spotPrice: null,
        ...(hasOverhead ? {} : { overhead: {} }),
      }),
    ),
  )
}

function podsOf({ replicas, isApart, zone, ...asks }: Deployment, index: number): Pod[] {
  const app = `app-${index}`
  const selector = { matchLabels: { app }, matchExpressions: [] }
  const term = { topologyKey: LABEL.hostname, selector, namespaces: [], matchLabelKeys: [], mismatchLabelKeys: [] }
  return Array.from({ length: replicas }, (_, at) =>
    pod({
      name: `${app}-${at}`,
      labels: { app },
      ...asks,
      podAntiAffinity: { required: isApart ? [term] : [], preferred: [] },
      nodeSelector: zone === undefined ? {} : { [LABEL.zone]: zone },
    }),
  )
}

type Machine = { readonly price: number; readonly pods: readonly Pod[] }

function couldBeOne(one: Machine, other: Machine, types: readonly InstanceType[]): boolean {
  const pods = [...one.pods, ...other.pods]
  const zones = new Set(pods.flatMap(({ nodeSelector }) => nodeSelector[LABEL.zone] ?? []))
  if (zones.size > 1 || pods.some((each, at) => pods.slice(at + 1).some((next) => keepsAway(each, next)))) return false
  const total = pods.map(({ requests }) => requests).reduce(add, NO_RESOURCES)
  const most = one.price + other.price
  return types.some(({ capacity, overhead, offerings }) => {
    const price = Math.min(...offerings.map((each) => each.price ?? Number.POSITIVE_INFINITY))
    return price <= most && holds(subtract(capacity, overhead), total)
  })
}

function keepsAway({ podAntiAffinity, labels }: Pod, other: Pod): boolean {
  return podAntiAffinity.required.length > 0 && labels['app'] === other.labels['app']
}

function holds(free: Resources, total: Resources): boolean {
  return Object.entries(total).every(([name, amount]) => amount <= (free[name] ?? 0))
}

function namesOf(machines: readonly Machine[]): readonly string[] {
  return machines.map(({ price, pods }) => `${price}: ${pods.map(({ key }) => key).join(' ')}`)
}
