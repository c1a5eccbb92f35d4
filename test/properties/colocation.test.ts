import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { instanceType } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { outcomeOf } from './randomCase.ts'

const CORES = [2, 4, 8]
const TYPES = CORES.map((cpus) => instanceType({ name: `of-${cpus}`, cpus, memoryGib: 4 * cpus, overhead: {}, spotPrice: null }))

const someCpus = fc.constantFrom(0.5, 1, 1.5, 2, 3, 4)

/** Affinity to a host: each pod to the next, all pods to any of them, or all pods of one Deployment to each other. */
const aCompany = fc.record({
  form: fc.constantFrom('chain', 'any', 'own'),
  cpus: fc.array(someCpus, { minLength: 2, maxLength: 3 }),
  isSpread: fc.boolean(),
})

const aWorld = fc.record({
  company: aCompany,
  /** The cores of existing machines. */
  nodes: fc.array(fc.constantFrom(1, 2, 4, 8), { maxLength: 3 }),
  /** The limit of the pool in cores. */
  limit: fc.constantFrom(undefined, 2, 4, 8, 12),
  others: fc.array(someCpus, { maxLength: 3 }),
})

type World = typeof aWorld extends fc.Arbitrary<infer Value> ? Value : never

describe('pods that must share a machine', () => {
  it('have a place where some machine holds them all', () => {
    fc.assert(
      fc.property(aWorld, (world) => {
        const given = snapshotOf(world)
        const { decision, refused } = outcomeOf(given)
        expect(violationsOf(given, decision)).toEqual([])
        const left = given.objects.pod.filter(({ key, labels }) => labels['company'] !== undefined && refused.has(key))
        if (left.length > 0) expect(isThereRoom(world), left.map(({ key }) => key).join(' ')).toBe(false)
      }),
      { numRuns: 250 },
    )
  })
})

/** Reports whether the company must find room. Other pods may use up a limit or existing nodes, but never a pool without limits. */
function isThereRoom({ company, nodes, limit, others }: World): boolean {
  const asked = cpusOf(company).reduce((sum, each) => sum + each, 0)
  if (limit === undefined) return asked <= Math.max(...CORES)
  return others.length === 0 && [...nodes, ...CORES.filter((cores) => cores <= limit)].some((cores) => asked <= cores)
}

function cpusOf({ form, cpus }: World['company']): readonly number[] {
  return form === 'own' ? cpus.map(() => cpus[0] ?? 0) : cpus
}

function snapshotOf({ company, nodes, limit, others }: World) {
  return snapshot({
    types: TYPES,
    objects: {
      node: nodes.map((cpus, at) => node({ name: `node-${at}`, zone: 'eastus-1', allocatable: resources(cpus, 16, { pods: 110 }) })),
      pod: [...podsOf(company), ...others.map((cpus, at) => pod({ name: `other-${at}`, cpus }))],
      nodePool: [nodePool(limit === undefined ? {} : { limits: { cpu: 1000 * limit } })],
    },
  })
}

function podsOf(company: World['company']): Pod[] {
  const all = cpusOf(company)
  const app = (at: number): string => (company.form === 'own' ? 'own' : `app-${at}`)
  return all.map((cpus, at) => {
    const isLast = company.form === 'chain' && at === all.length - 1
    const wanted = company.form === 'chain' ? { app: app(at + 1) } : { company: 'one' }
    return pod({
      name: `member-${at}`,
      cpus,
      labels: { app: app(at), company: 'one' },
      podAffinity: { required: isLast ? [] : [nearBy(wanted)], preferred: [] },
      topologySpread: company.isSpread && company.form !== 'own' && at === all.length - 1 ? [spreadByZone(app(at))] : [],
    })
  })
}

function nearBy(matchLabels: Pod['labels']): Pod['podAffinity']['required'][number] {
  return {
    topologyKey: LABEL.hostname,
    selector: { matchLabels, matchExpressions: [] },
    namespaces: [],
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  }
}

function spreadByZone(app: string): Pod['topologySpread'][number] {
  return {
    maxSkew: 1,
    topologyKey: LABEL.zone,
    selector: { matchLabels: { app }, matchExpressions: [] },
    whenUnsatisfiable: 'DoNotSchedule',
    matchLabelKeys: [],
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
  }
}
