import { describe, expect, it } from 'vitest'
import { createMemoryShim } from '../../shared/adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { applyDecision } from '../../shared/flows/apply/applyDecision.ts'
import { type Committed, emptyLedger } from '../../shared/flows/ledger/nextLedger.ts'
import { createClusterState } from '../../shared/flows/state/clusterState.ts'
import { findCondition, setCondition } from '../../shared/model/condition.ts'
import type { Action } from '../../shared/model/decision.ts'
import { clusterId } from '../../shared/model/ids.ts'
import { ANNOTATION } from '../../shared/model/labels.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { durationMs } from '../../shared/model/units.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import { NOW, SECOND } from '../builders/clock.ts'
import { disruptionCommand } from '../builders/disruptionCommand.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { settings, snapshot } from '../builders/snapshot.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')
const CLAIM = 'default-one'

type Marked = {
  readonly mark: (claim: NodeClaim) => Action | undefined
  /** A pod has left the node. The time is written beside the marks. */
  readonly hasPodLeft?: true
  readonly says: (claim: NodeClaim) => unknown
  readonly expected: unknown
}

function conditionMark(type: string, reason?: string): Marked {
  return {
    mark: ({ name, meta, status }) => ({
      kind: 'markClaim',
      claim: name,
      conditions: setCondition(status.conditions, { type, status: 'True', ...(reason && { reason }) }, meta, NOW),
    }),
    says: ({ status }) => findCondition(status.conditions, type)?.reason,
    expected: reason ?? type,
  }
}

/** Everything that a decision notes on a claim. */
const MARKS: { readonly [name: string]: Marked } = {
  Consolidatable: conditionMark('Consolidatable'),
  Drifted: conditionMark('Drifted', 'NodePoolDrifted'),
  'the hashes': {
    mark: ({ name }) => ({ kind: 'markClaim', claim: name, annotations: { [ANNOTATION.nodePoolHash]: '7' } }),
    says: ({ meta }) => meta.annotations[ANNOTATION.nodePoolHash],
    expected: '7',
  },
  'the time of the last pod': {
    mark: () => undefined,
    hasPodLeft: true,
    says: ({ status }) => status.lastPodEventAt,
    expected: NOW,
  },
}

/** Every way in which a decision ends a claim. A move with a replacement writes the claim now and deletes it in a later decision. */
const ENDS: { readonly [name: string]: { readonly end?: (claim: NodeClaim) => Action; readonly method?: 'delete' | 'replace' } } = {
  'a deletion': {
    end: ({ name, meta }) => ({ kind: 'deleteClaim', claim: name, uid: meta.uid, because: 'Empty', pods: [] }),
    method: 'delete',
  },
  'the last step of a move': {
    end: ({ name, meta }) => ({ kind: 'deleteClaim', claim: name, uid: meta.uid, because: 'Drifted', pods: [], command: '7-0' }),
  },
  'the begin of a move': { method: 'replace' },
  'its expiry': { end: ({ name, meta }) => ({ kind: 'expireClaim', claim: name, uid: meta.uid, pods: 0 }) },
  'fewer replicas': { end: ({ name, meta }) => ({ kind: 'scaleDownClaim', claim: name, uid: meta.uid }) },
  'its repair': { end: ({ name, meta }) => ({ kind: 'repairClaim', claim: name, uid: meta.uid, condition: 'Ready=False', pods: 0 }) },
  'the end of a failed move': { end: ({ name, meta }) => ({ kind: 'removeReplacement', claim: name, uid: meta.uid, command: '7-0' }) },
  'the opening of its node': { end: ({ name, meta }) => ({ kind: 'openNode', claim: name, uid: meta.uid }) },
}

function scene({ mark, hasPodLeft }: Marked, end: (typeof ENDS)[string] | undefined) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  world.objects.put('nodePool', nodePool({ disruption: { consolidateAfter: durationMs(30 * SECOND) } }))
  const isReplacement = end === ENDS['the end of a failed move']
  const claim = world.objects.put('nodeClaim', nodeClaim({ name: CLAIM, stage: isReplacement ? 'launched' : 'initialized' }))
  world.objects.put('node', node({ claim: CLAIM }))
  const actions = [mark(claim), end?.end?.(claim)].filter((action) => action !== undefined)
  const { markedAt: _, ...command } = disruptionCommand([claim])
  const commands = end?.method === undefined ? [] : [{ ...command, method: end.method }]
  const seen = createClusterState()
  seen.apply(createMemoryShim(world, 1).snapshot())
  const state = hasPodLeft ? { ...seen, podLeftAt: () => NOW } : seen
  const committed: Committed = {
    ledger: { ...emptyLedger(CLUSTER), commands },
    etag: undefined,
    snapshot: snapshot(),
    decided: { actions, reasons: [] },
    decideMs: 0,
    caughtUp: { state, position: '', records: 0 },
  }
  const apply = (api: Partial<ClusterApi> = {}) =>
    applyDecision({ ...world.ports, settings: settings(), api: { ...world.ports.api, ...api } }, committed, NEVER)
  const warned = () => world.telemetry.lines.filter(({ level }) => level === 'warn')
  return { world, apply, warned, claim }
}

const rows = Object.keys(MARKS).flatMap((mark) => Object.keys(ENDS).map((end) => ({ mark, end })))

describe('a decision that marks a claim and ends it', () => {
  it.each(rows)('writes $mark before $end', async ({ mark, end }) => {
    const marked = MARKS[mark] ?? expect.fail('no such mark')
    const { world, apply } = scene(marked, ENDS[end])
    await apply()
    const claim = world.objects.get('nodeClaim', CLAIM) ?? expect.fail('the claim has a finalizer')
    expect(marked.says(claim)).toBe(marked.expected)
    const hasEnded = ENDS[end]?.end !== undefined && end !== 'the opening of its node'
    expect(claim.meta.deletedAt !== undefined).toBe(hasEnded)
  })

  const before = ['deleted', 'gone'] as const
  const late = Object.keys(MARKS).flatMap((mark) => before.map((how) => ({ mark, how })))
  it.each(late)('is done although the claim was $how before it wrote $mark', async ({ mark, how }) => {
    const { world, apply, warned, claim } = scene(MARKS[mark] ?? expect.fail('no such mark'), undefined)
    if (how === 'deleted') world.objects.delete('nodeClaim', claim.name)
    else world.objects.remove('nodeClaim', claim.name)
    expect(await apply()).toBe(true)
    expect(warned()).toEqual([])
  })
})
