import { describe, expect, it } from 'vitest'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodeClassRef, nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import { FINALIZER, TAINT_KEY } from '../../model/labels.ts'
import type { NodeClassRef } from '../../model/nodePool.ts'
import { durationMs, epochMs } from '../../model/units.ts'
import { reconcile } from '../decide/reconcile.ts'
import { interrupt } from '../lifecycle/interrupt.ts'
import { stepClaim } from '../lifecycle/stepClaim.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { collectGarbage } from './collectGarbage.ts'
import { resync } from './resync.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)
const BORN = epochMs(START - 3_600_000)
const KINDS = ['nodePool', 'nodeClaim', 'node'] as const

/** Claims in states that would cause work if they were ours: new, expired, empty, being deleted. */
const STATES: { readonly [name: string]: NodeClaimShape } = {
  new: { stage: 'created' },
  old: { spec: { expireAfter: durationMs(60_000) } },
  empty: {},
  ending: { meta: { deletedAt: BORN, finalizers: [FINALIZER] } },
}

/** The pools of another provider, whose NodeClass has the same name as ours, beside a pool of ours that can hold every pod. */
function world(ref: NodeClassRef) {
  const memory = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test') })
  const { objects } = memory
  objects.put('nodeClass', nodeClass())
  const budgets = [{ nodes: 'many' }]
  const disruption = { consolidateAfter: durationMs(1_000), budgets }
  for (const [name, replicas] of [
    ['theirs', undefined],
    ['fixed', 3],
  ] as const)
    objects.put(
      'nodePool',
      nodePool({
        name,
        disruption,
        template: { nodeClassRef: ref },
        status: { conditions: [], resources: {} },
        ...(replicas === undefined ? {} : { replicas }),
      }),
    )
  for (const [name, shape] of Object.entries(STATES)) {
    const { spec, meta, ...rest } = shape
    objects.put(
      'nodeClaim',
      nodeClaim({ ...rest, name, nodePool: 'theirs', meta: { createdAt: BORN, ...meta }, spec: { ...spec, nodeClassRef: ref } }),
    )
    if (name === 'new') continue
    const sick = condition('kubernetes.azure.com/NodeHealthy', { status: 'False', lastTransitionAt: BORN })
    const taints = [{ key: TAINT_KEY.disrupted, effect: 'NoSchedule' }] as const
    objects.put(
      'node',
      node({
        claim: name,
        nodePool: 'theirs',
        conditions: [condition('Ready', { status: 'False', lastTransitionAt: BORN }), sick],
        taints,
        // A person has deleted the node, too.
        meta: name === 'ending' ? { deletedAt: BORN } : {},
      }),
    )
  }
  return memory
}

describe('what belongs to another provider', () => {
  it.each([
    ['kind', { kind: 'EC2NodeClass' }],
    ['group', { group: 'karpenter.k8s.aws' }],
  ])('NT-04 by its %s is left alone to the byte by every flow', async (_what, foreign) => {
    const memory = world({ ...nodeClassRef('default'), ...foreign })
    const { objects, ports, clock } = { ...memory, clock: memory.ports.clock }
    const deps = { ...ports, settings: settings() }
    const theirs = () => KINDS.map((kind) => objects.all(kind))
    const before = JSON.stringify(theirs())
    const shim = createMemoryShim(memory, 1)
    const session = { reader: createClusterReader(ports.log) }
    objects.put('pod', pod({ name: 'web', unschedulableSince: clock.now(), createdAt: clock.now() }))
    await ports.log.append(shim.snapshot(), NEVER)
    await reconcile(deps, session, [], NEVER)
    await resync(deps, NEVER)
    await collectGarbage(deps, NEVER)
    for (const name of Object.keys(STATES)) {
      const claim = nodeClaimName(name)
      await interrupt(deps, { claim, saidBy: 'azure', when: 'happened', eventId: 'e', reason: 'Preempt' }, NEVER)
      await stepClaim(deps, { claim, because: 'news', isFollowed: false, attempt: 0 }, NEVER)
    }
    expect(JSON.stringify(theirs())).toBe(before)
    const written = memory.journal.entries.map(({ operation, object }) => `${operation} ${object}`)
    expect(written.filter((line) => /theirs|fixed|nodeClaim|patchNode\b/.test(line))).toEqual([])
  })
})
