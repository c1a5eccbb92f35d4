import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../test/agreement/random.ts'
import { keepPlanning } from '../../../test/builders/keptPlanning.ts'
import { meta } from '../../../test/builders/meta.ts'
import { node } from '../../../test/builders/node.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { applied, randomChange } from '../../../test/generators/randomChanges.ts'
import { randomSnapshot } from '../../../test/generators/randomSnapshot.ts'
import { casesOf, seedsOf } from '../../../test/properties/cases.ts'
import { canonicalJson } from '../../base/json.ts'
import { type ClusterSnapshot, type Delta } from '../../model/clusterSnapshot.ts'
import { objectKey, uid } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import type { Namespace } from '../../model/workloads.ts'
import { decideProvisioning, loadPlanning } from './planningState.ts'

const CASES = casesOf(120)
const CHANGES = 6

describe('a loaded cluster', () => {
  it(`CL-02 CL-04 CL-15 decides after ${CHANGES} random changes each of ${CASES} random clusters what it would decide from scratch`, {
    timeout: 30 * 60_000,
  }, () => {
    const counts = { claims: 0, nominations: 0, reasons: 0 }
    for (const seed of seedsOf(CASES)) {
      const random = createRandom(seed)
      let now = settled(randomSnapshot(seed), seed)
      const state = seed % 3 === 0 ? keepPlanning(now.objects) : loadPlanning(now.objects)
      for (let change = 1; change <= CHANGES; change++) {
        const { delta, after } = randomChange(random, now, settled(randomSnapshot(seed + change * 100_003), seed))
        now = after
        state.apply(delta)
        // Several changes may come before a decision.
        if (random.chance(0.2)) continue
        const decision = state.decide(now)
        expect(canonicalJson(decision), `seed ${seed}, change ${change}`).toBe(canonicalJson(decideProvisioning(now)))
        counts.claims += decision.actions.filter(({ kind }) => kind === 'createClaim').length
        counts.nominations += decision.actions.flatMap((action) => (action.kind === 'nominate' ? action.pods : [])).length
        counts.reasons += decision.reasons.length
      }
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(CASES)
  })

  it('decides the same again when nothing has changed', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const given = settled(randomSnapshot(seed), seed)
      const state = loadPlanning(given.objects)
      const first = canonicalJson(state.decide(given))
      expect(canonicalJson(state.decide({ ...given })), `seed ${seed}`).toBe(first)
    }
  })
})

const BEFORE = snapshot({
  objects: {
    node: [node({ name: 'static', meta: { labels: { [LABEL.zone]: 'eastus-1' } } })],
    namespace: [namespace('default', 'ours'), namespace('other', 'theirs')],
    pod: [
      pod({ name: 'guard', namespace: 'other', nodeName: 'static', podAntiAffinity: awayFrom('ours', LABEL.zone) }),
      pod({ name: 'watch', namespace: 'other', nodeName: 'static', podAntiAffinity: awayFrom('later', LABEL.hostname) }),
      pod({ name: 'web', labels: { app: 'web' }, cpus: 0.5 }),
    ],
  },
})

/** Changes that random clusters seldom have. */
const CHANGES_OF_ONE: { readonly [sentence: string]: Delta } = {
  'a namespace gets labels that nobody minds': { put: { namespace: [namespace('default', 'nobody')] } },
  'a namespace gets labels that others keep away from': { put: { namespace: [namespace('default', 'later')] } },
  'the pod that keeps others away goes': { removed: { pod: ['other/guard'] } },
  'a buffer comes with its template': {
    put: {
      podTemplate: [{ key: objectKey('default', 'room'), uid: uid('room'), generation: 1, pod: pod({ name: 'room', cpus: 3 }) }],
      capacityBuffer: [
        {
          key: objectKey('default', 'spare'),
          meta: meta('spare'),
          strategy: 'buffer',
          podTemplate: 'room',
          replicas: 2,
          status: { conditions: [] },
        },
      ],
    },
  },
  'an overlay makes a size cheaper': {
    put: {
      nodeOverlay: [
        {
          name: 'cheap',
          meta: meta('cheap'),
          requirements: [{ key: LABEL.zone, operator: 'Exists', values: [] }],
          price: '0.001',
          status: { conditions: [] },
        },
      ],
    },
  },
  'the pool goes': { removed: { nodePool: ['default'] } },
  'the pool is to be small': { put: { nodePool: [nodePool({ limits: { cpu: 0 } })] } },
}

describe('a loaded cluster that is told that', () => {
  for (const [sentence, delta] of Object.entries(CHANGES_OF_ONE)) {
    it(`${sentence} decides something else, and what it would from scratch`, () => {
      const state = keepPlanning(BEFORE.objects)
      const before = canonicalJson(state.decide(BEFORE))
      state.apply(delta)
      const after = canonicalJson(state.decide(BEFORE))
      expect(after).not.toBe(before)
      expect(after).toBe(canonicalJson(decideProvisioning({ ...BEFORE, objects: applied(BEFORE.objects, delta) })))
    })
  }
})

function namespace(name: string, kind: string): Namespace {
  return { name, uid: uid(name), labels: { kind } }
}

/** Anti-affinity with all pods of namespaces that have this `kind` label. */
function awayFrom(kind: string, topologyKey: string): Pod['podAntiAffinity'] {
  const everyone = { matchLabels: {}, matchExpressions: [] }
  const term = {
    topologyKey,
    selector: everyone,
    namespaces: [],
    namespaceSelector: { matchLabels: { kind }, matchExpressions: [] },
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  }
  return { required: [term], preferred: [] }
}

/** Half of the clusters for each placement mode. */
function settled(given: ClusterSnapshot, seed: number): ClusterSnapshot {
  return { ...given, settings: { ...given.settings, placement: seed % 2 === 0 ? 'price' : 'firstFit' } }
}
