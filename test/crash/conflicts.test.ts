import { describe, expect, it } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { FINALIZER } from '../../shared/model/labels.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { footprint, scaleUp } from './stories.ts'

/** The writes of a new claim that carry a resource version, or could carry one. */
const WRITES = ['patchClaim', 'patchClaimStatus', 'patchNode'] as const
const NOTE = 'example.com/note'
const FOREIGN = 'example.com/foreign'

type Write = (typeof WRITES)[number]
type Meddle = (simulation: Simulation, claim: string) => void

/** Changes by somebody else to the objects of a claim, between the time when they were read and the write. */
const OTHERS: { readonly [sentence: string]: Meddle } = {
  'notes something on the claim': ({ world }, name) => {
    const claim = world.objects.get('nodeClaim', name)
    if (claim)
      world.objects.put('nodeClaim', { ...claim, meta: { ...claim.meta, annotations: { ...claim.meta.annotations, [NOTE]: 'x' } } })
  },
  'writes conditions of the claim': ({ world }, name) => {
    const claim = world.objects.get('nodeClaim', name)
    if (claim === undefined) return
    const { conditions } = claim.status
    const foreign = {
      type: 'Foreign',
      status: 'True',
      reason: 'Foreign',
      message: '',
      lastTransitionAt: world.clock.now(),
      observedGeneration: 1,
    } as const
    world.objects.put('nodeClaim', {
      ...claim,
      status: { ...claim.status, conditions: [...conditions.filter(({ type }) => type !== 'Foreign'), foreign] },
    })
  },
  'deletes the claim': ({ world }, name) => world.objects.delete('nodeClaim', name),
  'puts a taint, a label and a finalizer on the node': ({ world }, name) => {
    const node = nodeOf(world, name)
    if (node === undefined) return
    const taints = [...node.taints.filter(({ key }) => key !== FOREIGN), { key: FOREIGN, effect: 'PreferNoSchedule' } as const]
    const meta = {
      ...node.meta,
      labels: { ...node.meta.labels, [NOTE]: 'x' },
      finalizers: [...new Set([...node.meta.finalizers, FOREIGN])],
    }
    world.objects.put('node', { ...node, taints, meta })
  },
  'deletes the node': ({ world }, name) => {
    const node = nodeOf(world, name)
    if (node) world.objects.delete('node', node.name)
  },
}

function nodeOf({ objects }: Simulation['world'], claim: string) {
  return objects.all('node').find(({ name }) => name.endsWith(claim))
}

/**
 * Runs the simulation until one pod runs and its claim is ready. `readyAfterMs` is the time from the join of the node to its readiness. `at.meddle`
 * changes an object once, just before the write with the number `at.write`. Returns all writes.
 */
async function comeIn(readyAfterMs: number, at?: { readonly write: number; readonly meddle: Meddle }) {
  const writes: string[] = []
  let met: { readonly claim: string; readonly hadNode: boolean; readonly podRan: boolean } | undefined
  const before = (write: Write, name: string): void => {
    const claim = name.replace(/^joiner-/, '')
    writes.push(write)
    if (at === undefined || met !== undefined || writes.length - 1 !== at.write) return
    const podRan = simulation.world.objects.all('pod').some(({ phase }) => phase === 'Running')
    met = { claim, hadNode: nodeOf(simulation.world, claim) !== undefined, podRan }
    at.meddle(simulation, claim)
  }
  const between = (deps: ClusterDeps): ClusterDeps => ({
    ...deps,
    api: {
      ...deps.api,
      patchClaim: (claim, ...rest) => (before('patchClaim', claim.name), deps.api.patchClaim(claim, ...rest)),
      patchClaimStatus: (claim, ...rest) => (before('patchClaimStatus', claim.name), deps.api.patchClaimStatus(claim, ...rest)),
      patchNode: (node, ...rest) => (before('patchNode', node.name), deps.api.patchNode(node, ...rest)),
    },
  })
  const simulation: Simulation = createSimulation({ between, ...joiningSlowly(readyAfterMs, () => simulation) })
  const tookMs = await scaleUp(simulation, 1)
  // A machine whose node was taken away may still exist.
  if (at !== undefined) await simulation.runUntil(() => false, 60_000)
  return { simulation, writes, met, tookMs }
}

function joiningSlowly(readyAfterMs: number, simulation: () => Simulation) {
  const joinedAt = new Map<string, number>()
  return {
    workload: () => {
      const { world, clock } = simulation()
      for (const node of world.objects.all('node')) {
        const at = joinedAt.get(node.meta.uid) ?? clock.now()
        joinedAt.set(node.meta.uid, at)
        const status = clock.now() - at >= readyAfterMs ? 'True' : 'False'
        world.objects.put('node', { ...node, conditions: node.conditions.map((each) => ({ ...each, status })) })
      }
    },
  }
}

/** The lock of the launch, the facts of the machine, and the condition Launched. */
const LAUNCH: readonly Write[] = ['patchClaim', 'patchClaim', 'patchClaimStatus']

describe.each<[sentence: string, readyAfterMs: number, writes: readonly Write[]]>([
  // The conditions Registered and Initialized are one write. The condition Consolidatable follows.
  ['is ready soon', 2_000, [...LAUNCH, 'patchNode', 'patchClaimStatus', 'patchClaimStatus']],
  // The condition Registered with the reason why the claim is not initialized yet, and the condition Initialized.
  ['is ready late', 14_000, [...LAUNCH, 'patchNode', 'patchClaimStatus', 'patchNode', 'patchClaimStatus']],
])('somebody else writes between the picture and the write, and the node %s', (_sentence, readyAfterMs, writes) => {
  it('of each kind there is one to meet', async () => {
    expect((await comeIn(readyAfterMs)).writes).toEqual(writes)
  })

  const rows = writes.flatMap((write, number) => Object.keys(OTHERS).map((other) => ({ number, write, other })))
  it.each(rows)('before write $number, $write, somebody $other: nothing is lost, and nothing is left', async ({ number, other }) => {
    const meddle = OTHERS[other] ?? expect.fail('no such meddler')
    const { simulation, met, tookMs } = await comeIn(readyAfterMs, { write: number, meddle })
    const { objects } = simulation.world
    expect(tookMs).toBeDefined()
    if (met === undefined) expect.fail('the write did not come')
    const claim = objects.get('nodeClaim', met.claim)
    if (other === 'notes something on the claim') expect(claim?.meta.annotations[NOTE]).toBe('x')
    if (other === 'writes conditions of the claim') expect(claim?.status.conditions.map(({ type }) => type)).toContain('Foreign')
    if (other.startsWith('puts a taint') && met.hadNode) {
      const node = nodeOf(simulation.world, met.claim)
      expect(node?.taints.map(({ key }) => key)).toEqual([FOREIGN])
      expect(node?.meta.finalizers).toEqual(expect.arrayContaining([FOREIGN, FINALIZER]))
      expect(node?.meta.labels[NOTE]).toBe('x')
    }
    const isEnded = other === 'deletes the claim' || (other === 'deletes the node' && met.hadNode && claim === undefined)
    if (isEnded) expect(claim).toBeUndefined()
    const left = footprint(simulation)
    // A pod that ran on the node may have been removed with the node.
    const count = objects.all('pod').length
    if (!isEnded) expect(count).toBe(1)
    expect(left).toMatchObject({ claims: count, nodes: count, interfaces: count, tokens: 0, failing: 0 })
    expect(left.machines).toHaveLength(count)
    // A decision while the node is drained makes a new claim for a pod that runs on the node. The pod has no controller and does not come back, so the
    // new claim ends again.
    const claims = isEnded ? 1 + count : 1
    expect(isEnded && met.podRan ? [claims, 2] : [claims]).toContain(left.claimsEver)
  })
})
