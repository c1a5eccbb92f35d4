import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionOf } from '../../../../test/builders/decided.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import { VOLUMES_OVERDUE } from '../../../model/nodeClaim.ts'
import { type Budget, DISRUPTION_REASONS, type DisruptionReason } from '../../../model/nodePool.ts'

/** What a budget sees of an empty machine. */
type Fate = 'idle' | 'deleting' | 'not ready' | 'coming up' | 'ended by Azure' | 'kept by a volume'
type Pools = { readonly [name: string]: { readonly fates: readonly Fate[]; readonly budgets: readonly Budget[] } }

const STAGES = ['Launched', 'Registered', 'Initialized'] as const

/** Conditions of a ready node, or of a node under disk pressure whose kubelet does not answer. */
function conditionsOf(isReady: boolean) {
  return [condition('DiskPressure', { status: isReady ? 'False' : 'True' }), condition('Ready', { status: isReady ? 'True' : 'Unknown' })]
}

/** A drained machine whose VolumeAttachment does not go. */
const keptByVolume = {
  meta: { deletedAt: ago(SECOND) },
  status: {
    conditions: [
      ...[...STAGES, 'Drained'].map((type) => condition(type)),
      condition('VolumesDetached', { status: 'Unknown', reason: VOLUMES_OVERDUE }),
    ],
  },
}

function clusterOf(pools: Pools) {
  const machines = Object.entries(pools).flatMap(([pool, { fates }]) => fates.map((fate, at) => ({ pool, fate, claim: `${pool}-n${at}` })))
  return {
    nodePool: Object.entries(pools).map(([name, { budgets }]) => nodePool({ name, disruption: { budgets } })),
    node: machines.map(({ pool, fate, claim }) =>
      node({ claim, nodePool: pool, initialized: fate !== 'coming up', conditions: conditionsOf(fate !== 'not ready') }),
    ),
    nodeClaim: machines.map(({ pool, fate, claim }) =>
      nodeClaim({
        name: claim,
        nodePool: pool,
        ...(fate === 'deleting' ? { meta: { deletedAt: ago(SECOND) } } : {}),
        ...(fate === 'kept by a volume' ? keptByVolume : {}),
        ...(fate === 'ended by Azure' ? { status: { conditions: [...STAGES, 'InstanceTerminating'].map((type) => condition(type)) } } : {}),
      }),
    ),
  }
}

type Objects = ReturnType<typeof clusterOf>

/** Names of the claims that one decision ends. */
function ended(objects: Objects): readonly string[] {
  return disruptionOf(snapshot({ objects })).actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action.claim] : []))
}

function take(fates: readonly Fate[], ...budgets: readonly Budget[]): number {
  return ended(clusterOf({ default: { fates, budgets } })).length
}

describe('a budget', () => {
  it.each<[sentence: string, budget: Budget, fates: readonly Fate[], want: number]>([
    ['lets go as many as it says', { nodes: '2' }, ['idle', 'idle', 'idle'], 2],
    ['is spent by a machine that is being deleted', { nodes: '2' }, ['idle', 'idle', 'deleting'], 1],
    ['is spent by a machine that is not ready', { nodes: '2' }, ['idle', 'idle', 'not ready'], 1],
    ['that is more than spent lets nobody go', { nodes: '1' }, ['idle', 'deleting', 'deleting'], 0],
    ['is not spent by a machine that is coming up', { nodes: '1' }, ['idle', 'coming up'], 1],
    ['is not spent by a machine that Azure ended', { nodes: '1' }, ['idle', 'ended by Azure'], 1],
    ['is not spent by a machine that a leaked volume keeps', { nodes: '1' }, ['idle', 'kept by a volume'], 1],
    ['in percent is of the machines that are up', { nodes: '50%' }, ['idle', 'idle', 'coming up', 'coming up', 'ended by Azure'], 1],
    ['in percent counts machines that are being deleted', { nodes: '50%' }, ['idle', 'idle', 'deleting', 'idle'], 1],
    ['in percent is rounded up', { nodes: '1%' }, ['idle', 'idle'], 1],
    ['of all is all', { nodes: '100%' }, ['idle', 'idle', 'idle'], 3],
    ['of more than all is one that nobody can read', { nodes: '101%' }, ['idle', 'idle', 'idle'], 0],
    ['with words around its number is one that nobody can read', { nodes: 'about 2' }, ['idle', 'idle'], 0],
    ['with words behind its number is one that nobody can read', { nodes: '2 or so' }, ['idle', 'idle'], 0],
    ['below nothing is one that nobody can read', { nodes: '-1' }, ['idle'], 0],
  ])('%s', (_sentence, budget, fates, want) => {
    expect(take(fates, budget)).toBe(want)
  })

  it('that is not there holds nobody', () => {
    expect(take(['idle', 'idle', 'deleting', 'not ready'])).toBe(3)
  })

  it('is of one pool, and counts no machines of another', () => {
    const pools = {
      one: { fates: ['idle', 'idle', 'idle', 'idle'], budgets: [{ nodes: '50%' }] },
      two: { fates: ['idle', 'idle', 'deleting', 'not ready', 'idle', 'idle'], budgets: [{ nodes: '3' }] },
    } as const
    expect(ended(clusterOf(pools))).toEqual(['one-n0', 'one-n1', 'two-n0'])
  })
})

const reason = fc.constantFrom<DisruptionReason>(...DISRUPTION_REASONS)
const anyBudget = fc.record(
  {
    nodes: fc.oneof(
      fc.nat(6).map(String),
      fc.integer({ min: 0, max: 100 }).map((share) => `${share}%`),
    ),
    reasons: fc.uniqueArray(reason),
  },
  { requiredKeys: ['nodes'] },
)
const fate = fc.constantFrom<Fate>('idle', 'idle', 'idle', 'deleting', 'not ready', 'coming up', 'ended by Azure', 'kept by a volume')
const anyPool = fc.record({ fates: fc.array(fate, { maxLength: 8 }), budgets: fc.array(anyBudget, { maxLength: 3 }) })

/** The number of machines that the budgets of a pool leave to a decision. The decision must take exactly this number. */
function left({ fates, budgets }: Pools[string]): number {
  const count = (...which: readonly Fate[]): number => fates.filter((each) => which.includes(each)).length
  const total = count('idle', 'deleting', 'not ready')
  const allowed = budgets
    .filter(({ reasons }) => reasons === undefined || reasons.includes('Empty'))
    .map(({ nodes }) => (nodes.endsWith('%') ? Math.ceil((total * Number(nodes.slice(0, -1))) / 100) : Number(nodes)))
  const away = count('deleting', 'not ready')
  return Math.min(count('idle', 'not ready'), Math.max(0, Math.min(Number.POSITIVE_INFINITY, ...allowed) - away))
}

describe('however many machines and budgets there are', () => {
  it('a decision takes what all budgets leave, and the next one has nothing left to take', () => {
    fc.assert(
      fc.property(fc.record({ one: anyPool, two: anyPool }), (pools) => {
        const objects = clusterOf(pools)
        const first = ended(objects)
        const of = (pool: string): number => first.filter((claim) => claim.startsWith(pool)).length
        expect({ one: of('one'), two: of('two') }).toEqual({ one: left(pools.one), two: left(pools.two) })
        const after = objects.nodeClaim.map((claim) =>
          first.includes(claim.name) ? { ...claim, meta: { ...claim.meta, deletedAt: NOW } } : claim,
        )
        // A machine that is not ready counts as away before and after it is taken.
        if (!Object.values(pools).some(({ fates }) => fates.includes('not ready')))
          expect(ended({ ...objects, nodeClaim: after })).toEqual([])
      }),
    )
  })
})
