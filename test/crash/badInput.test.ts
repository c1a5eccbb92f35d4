import { describe, expect, it } from 'vitest'
import { nodeClaimName, nodeClassName, nodeName, uid } from '../../shared/model/ids.ts'
import { ANNOTATION, FINALIZER } from '../../shared/model/labels.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { durationMs, later } from '../../shared/model/units.ts'
import { condition } from '../builders/condition.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pods } from '../builders/pod.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { footprint, scaleDown, scaleUp } from './stories.ts'

const LIMIT_MS = 300_000
const SKEW_MS = 30_000

type Bad = {
  /** Breaks something in a cluster whose pods run. */
  readonly spoil: (simulation: Simulation) => void
  /** Reasons of the conditions or Events that report the trouble. Empty if nothing is wrong after all. */
  readonly says: readonly string[]
}

function first({ world: { objects } }: Simulation): NodeClaim {
  const [claim] = objects.all('nodeClaim')
  if (claim === undefined) throw new Error('no claim is there')
  return claim
}

function annotate({ world: { objects } }: Simulation, claim: NodeClaim, annotations: { readonly [name: string]: string }): void {
  objects.put('nodeClaim', { ...claim, meta: { ...claim.meta, annotations: { ...claim.meta.annotations, ...annotations } } })
}

function end({ world: { objects, clock } }: Simulation, name: string): void {
  const claim = objects.all('nodeClaim').find((each) => each.name === name)
  if (claim !== undefined) objects.put('nodeClaim', { ...claim, meta: { ...claim.meta, deletedAt: clock.now() } })
}

const BAD: { readonly [what: string]: Bad } = {
  'a termination timestamp that nobody can read': {
    spoil(simulation) {
      const claim = first(simulation)
      annotate(simulation, claim, { [ANNOTATION.terminationTimestamp]: 'tomorrow' })
      end(simulation, claim.name)
    },
    says: ['InvalidTerminationTimestamp'],
  },
  'a do-not-disrupt value that is none': {
    spoil(simulation) {
      const { objects } = simulation.world
      for (const pod of objects.all('pod')) objects.put('pod', { ...pod, annotations: { [ANNOTATION.doNotDisrupt]: 'please' } })
      end(simulation, first(simulation).name)
    },
    says: ['InvalidDoNotDisruptAnnotation'],
  },
  'a condition of a node that no repair policy knows': {
    spoil({ world: { objects } }) {
      for (const node of objects.all('node'))
        objects.put('node', { ...node, conditions: [...node.conditions, condition('example.com/Mood', { status: 'False' })] })
    },
    says: [],
  },
  'a claim whose class is not there': {
    spoil(simulation) {
      const { objects, clock } = simulation.world
      const { spec } = first(simulation)
      const name = nodeClaimName('by-hand')
      const meta = {
        uid: uid('by-hand'),
        labels: {},
        annotations: {},
        createdAt: clock.now(),
        generation: 1,
        resourceVersion: '',
        finalizers: [FINALIZER],
      }
      const nodeClassRef = { ...spec.nodeClassRef, name: nodeClassName('nowhere') }
      objects.put('nodeClaim', { name, meta, spec: { ...spec, nodeClassRef }, status: { conditions: [], capacity: {}, allocatable: {} } })
    },
    says: ['NodeClassResolutionError'],
  },
  'a node that takes another name under its claim': {
    spoil(simulation) {
      const { objects } = simulation.world
      const node = objects.get('node', nodeName(first(simulation).status.nodeName ?? ''))
      if (node === undefined) throw new Error('the claim has no node')
      objects.remove('node', node.name)
      objects.put('node', { ...node, name: nodeName('renamed'), meta: { ...node.meta, uid: uid('renamed') } })
    },
    says: ['NodeDeleted'],
  },
  'times of a clock that is 30 s ahead': {
    spoil({ world: { objects } }) {
      const ahead = durationMs(SKEW_MS)
      for (const claim of objects.all('nodeClaim')) {
        const conditions = claim.status.conditions.map((each) => ({ ...each, lastTransitionAt: later(each.lastTransitionAt, ahead) }))
        const meta = { ...claim.meta, createdAt: later(claim.meta.createdAt, ahead) }
        objects.put('nodeClaim', { ...claim, meta, status: { ...claim.status, conditions } })
      }
      for (const node of objects.all('node'))
        objects.put('node', { ...node, meta: { ...node.meta, createdAt: later(node.meta.createdAt, ahead) } })
    },
    says: [],
  },
  'a pool that is deleted and made again under its name': {
    spoil({ world: { objects } }) {
      objects.remove('nodePool', 'default')
      objects.put('nodePool', nodePool({ meta: { uid: uid('again') }, disruption: { budgets: [{ nodes: '100%' }] } }))
    },
    says: [],
  },
  'a time-out that nobody can read': {
    spoil({ world: { objects } }) {
      const [pool] = objects.all('nodePool')
      if (pool === undefined) throw new Error('no pool is there')
      const template = { ...pool.template, annotations: { [ANNOTATION.registrationTimeout]: 'soon' } }
      objects.put('nodePool', { ...pool, template })
    },
    says: ['InvalidAnnotation'],
  },
}

/** Sets the conditions of nodes without a machine to Unknown, as the node controller does. */
function silenceNodes({ world: { objects, machines } }: Simulation): void {
  const running = new Set<string | undefined>(machines.all().map(({ instance }) => instance.providerId))
  for (const node of objects.all('node')) {
    if (running.has(node.providerId) || node.conditions.every(({ status }) => status === 'Unknown')) continue
    objects.put('node', { ...node, conditions: node.conditions.map((each) => ({ ...each, status: 'Unknown' as const })) })
  }
}

function told({ world: { objects } }: Simulation, reason: string): boolean {
  return objects.events.some(({ event }) => event.reason === reason)
}

describe('what nobody meant', () => {
  it.each(Object.entries(BAD))('%s: is told, makes no flow fail, and keeps no other pod from its node', async (_what, { spoil, says }) => {
    const simulation: Simulation = createSimulation({ gcEveryMs: 60_000, workload: () => silenceNodes(simulation) })
    const { objects, clock } = simulation.world
    expect(await scaleUp(simulation, 2, { cpus: 3 })).toBeDefined()
    spoil(simulation)
    const now = clock.now()
    for (const pod of pods(2, { name: 'others', cpus: 3, createdAt: now, unschedulableSince: now })) objects.put('pod', pod)
    const areRunning = (): boolean => objects.all('pod').every(({ key, nodeName: at }) => !key.includes('others') || at !== undefined)
    expect(await simulation.runUntil(() => areRunning() && says.every((reason) => told(simulation, reason)), LIMIT_MS)).toBeDefined()
    expect(await scaleDown(simulation)).toBeDefined()
    expect(footprint(simulation)).toMatchObject({ machines: [], interfaces: 0, claims: 0, nodes: 0, failing: 0 })
    expect(simulation.failures).toEqual([])
  })
})
