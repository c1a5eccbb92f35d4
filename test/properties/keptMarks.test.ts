import { describe, expect, it } from 'vitest'
import { createMarkers } from '../../shared/engine/markers/decideMarkers.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { ANNOTATION, LABEL } from '../../shared/model/labels.ts'
import { epochMs } from '../../shared/model/units.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { catalog } from '../builders/catalog.ts'
import { MINUTE, NOW } from '../builders/clock.ts'
import { instanceType } from '../builders/instanceType.ts'
import { CLASS, driftIn, markedClaim, POOL, STAMPS } from '../builders/marked.ts'
import { node } from '../builders/node.ts'
import { snapshot } from '../builders/snapshot.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(60)
const LOOKS = 40

/** What drift depends on, in the order of its reasons. Each is as it was when the machines were made, or another. */
const FACTS = [
  'NodePoolDrifted',
  'RequirementsDrifted',
  'InstanceTypeNotFound',
  'NodeClassDrift',
  'K8sVersionDrift',
  'KubeletIdentityDrift',
  'ImageDrift',
] as const
type Fact = (typeof FACTS)[number]
type Others = ReadonlySet<Fact>

const ELSEWHERE = [{ key: LABEL.zone, operator: 'In', values: ['eastus-9'] }] as const
const TYPES = [catalog(), [instanceType({ name: 'Standard_X1' })]] as const

/** A cluster in which these facts are others than when its machines were made. */
function clusterWith(others: Others, machines: number, takenAt: number): ClusterSnapshot {
  const either = <Value>(fact: Fact, asMade: Value, other: Value): Value => (others.has(fact) ? other : asMade)
  const template = {
    ...POOL.template,
    labels: either('NodePoolDrifted', POOL.template.labels, { team: 'web' }),
    requirements: either('RequirementsDrifted', POOL.template.requirements, ELSEWHERE),
  }
  const spec = { ...CLASS.spec, osDiskSizeGb: either('NodeClassDrift', CLASS.spec.osDiskSizeGb, 512) }
  const images = [{ id: either('ImageDrift', '/images/1', '/images/2'), requirements: [] }]
  const status = { ...CLASS.status, kubernetesVersion: either('K8sVersionDrift', '1.34.1', '1.34.2'), images }
  const annotations = { ...STAMPS, [ANNOTATION.kubernetesVersion]: '1.34.1' }
  const names = Array.from({ length: machines }, (_, at) => `default-${at}`)
  return snapshot({
    takenAt: epochMs(takenAt),
    types: either('InstanceTypeNotFound', ...TYPES),
    settings: { kubeletIdentityClientId: either('KubeletIdentityDrift', 'first', 'second') },
    objects: {
      nodePool: [{ ...POOL, template }],
      nodeClass: [{ ...CLASS, spec, status }],
      nodeClaim: names.map((name) => markedClaim(annotations, { name, status: { imageId: '/images/1' } })),
      // The label of a node may be empty.
      node: names.map((claim, at) => node({ claim, meta: { labels: { [LABEL.kubeletIdentity]: at % 3 === 2 ? '' : 'first' } } })),
    },
  })
}

/** One fact becomes another, or is as it was. Now and then all are as they were. */
function changed(others: Others, random: Random): Others {
  if (random.chance(0.2)) return new Set()
  const fact = random.pick(FACTS)
  return random.chance(0.6) ? new Set([fact]) : new Set([...others].filter((each) => each !== fact))
}

function driftsIn({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => (action.kind === 'markClaim' ? (driftIn(action)?.split(/[ :]/)[1] ?? []) : []))
}

describe('marks of a cluster that stays loaded', () => {
  it(`are those of a cluster that is loaded anew, after each of ${LOOKS} changes of what ${CASES} clusters make nodes from`, () => {
    const told = new Map<string, number>()
    for (const seed of seedsOf(CASES)) {
      const random = createRandom(seed)
      const machines = 1 + random.int(5)
      const decideKept = createMarkers()
      let others: Others = new Set()
      let takenAt: number = NOW
      const planning = loadPlanning(clusterWith(others, machines, takenAt).objects)
      for (let look = 0; look < LOOKS; look++) {
        const { objects, ...context } = clusterWith(others, machines, takenAt)
        planning.apply({ put: { nodePool: objects.nodePool, nodeClass: objects.nodeClass } })
        const kept = decideKept({ ...context, objects, fleet: planning.fleet(context) })
        const anew = createMarkers()({ ...context, objects, fleet: loadPlanning(objects).fleet(context) })
        expect(JSON.stringify(kept), `seed ${seed}, look ${look}: ${[...others].join(' ')}`).toBe(JSON.stringify(anew))
        for (const reason of driftsIn(kept)) told.set(reason, (told.get(reason) ?? 0) + 1)
        others = changed(others, random)
        takenAt += random.int(3) * MINUTE
      }
    }
    expect([...told.keys()].sort(), JSON.stringify([...told])).toEqual([...FACTS].sort())
    expect(Math.min(...told.values())).toBeGreaterThan(CASES)
  }, 120_000)
})
