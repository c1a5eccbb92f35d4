/** Clusters with broken machines, and what a decision does about them. */
import { ago, HOUR, MINUTE } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { node } from '../../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import { defined } from '../../../base/values.ts'
import type { Calm } from '../../../model/clusterSnapshot.ts'
import type { Condition } from '../../../model/condition.ts'
import type { CreateClaim, Decision } from '../../../model/decision.ts'
import type { DisruptionCommand } from '../../../model/disruptionCommand.ts'
import { DEFAULT_REPAIR_POLICIES, type RepairPolicy } from '../../../model/repairPolicy.ts'
import { durationMs, usdPerHour } from '../../../model/units.ts'
import { decide } from '../../loadedCluster.ts'

export const HEALTHY = 'kubernetes.azure.com/NodeHealthy'
export type Objects = NonNullable<SnapshotShape['objects']>
export type Sickness = { readonly type?: string; readonly status?: Condition['status']; readonly reason?: string; readonly for?: number }
export type Machine = {
  readonly name: string
  readonly sick?: Sickness
  readonly zone?: string
  readonly pool?: string
  readonly claim?: NodeClaimShape
  readonly annotations?: { readonly [key: string]: string }
  readonly isUp?: boolean
  /** The pods on its node. Undefined: one. */
  readonly pods?: readonly PodShape[]
}

function said({ type = 'Ready', status = 'False', reason = 'KubeletNotReady', for: age = 11 * MINUTE }: Sickness): Condition {
  return condition(type, { status, reason, message: 'the kubelet is gone', lastTransitionAt: ago(age) })
}

function conditionsOf(sick: Sickness): readonly Condition[] {
  const own = said(sick)
  return own.type === 'Ready' ? [own] : [condition('Ready'), own]
}

/** Machines, each with one pod. Nothing but repair moves them. */
export function machines(list: readonly Machine[], pool: NodePoolShape = {}): Objects {
  const quiet = { consolidateAfter: 'Never' } as const
  return {
    node: list.map(({ name, sick, zone = 'eastus-1', pool: own = 'default', annotations = {}, isUp = true }) =>
      node({
        ...{ claim: name, zone, nodePool: own, initialized: isUp, meta: { createdAt: ago(24 * HOUR), annotations } },
        ...(sick === undefined ? {} : { conditions: conditionsOf(sick) }),
      }),
    ),
    nodeClaim: list.map(({ name, claim, pool: own = 'default', isUp = true, zone = 'eastus-1' }) =>
      nodeClaim({ name, zone, nodePool: own, stage: isUp ? 'initialized' : 'registered', ...claim }),
    ),
    nodePool: [...new Set(['default', ...list.map(({ pool: own = 'default' }) => own)])].map((name) =>
      nodePool({ name, ...pool, disruption: { ...quiet, budgets: [{ nodes: '100%' }], ...pool.disruption } }),
    ),
    pod: list.flatMap(({ name, pods = [{}] }) =>
      pods.map((shape, index) => pod({ name: `${name}-${index}`, ...shape, nodeName: nodeNameOf(name) })),
    ),
  }
}

export function pool(count: number, sick: number, over: Partial<Machine> = {}): readonly Machine[] {
  return Array.from({ length: count }, (_, index) => ({ name: `m${index}`, ...(index < sick ? { sick: {} } : {}), ...over }))
}

export const decided = (objects: Objects, shape: SnapshotShape = {}): Decision =>
  decide(snapshot({ ...shape, objects: { ...objects, ...shape.objects } }))

export const commands = ({ actions }: Decision): readonly DisruptionCommand[] =>
  actions.flatMap((action) => (action.kind === 'startCommand' ? [action.command] : []))
export const created = ({ actions }: Decision): readonly CreateClaim[] =>
  actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
export const deleted = ({ actions }: Decision) => actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action] : []))
/** The claims whose repair begins, with or without a replacement. */
export const repaired = (decision: Decision): readonly string[] =>
  [...commands(decision), ...deleted(decision)].flatMap((each) =>
    'candidates' in each
      ? each.candidates.map(({ claim }) => claim)
      : each.because === 'Unhealthy' && each.command === undefined
        ? [each.claim]
        : [],
  )
export const events = ({ actions }: Decision): readonly string[] =>
  actions.flatMap((action) =>
    action.kind === 'publish' ? [`${action.event.reason} ${action.event.subject.kind} ${action.event.message}`] : [],
  )
export const why = ({ reasons }: Decision, claim: string) => reasons.find(({ subject }) => subject.name === claim)

export const CALM: Calm = {
  ...{ isFrozen: false, leastSavingShare: 0, leastSavingPerPod: usdPerHour(0), leastNodeAge: durationMs(0) },
  ...{ mostMovesAnHour: 0, restAfterMove: durationMs(0), mostExtraNodes: 0 },
}

/** A machine so full that its pods fit nowhere else. */
export const FULL: readonly PodShape[] = [{ cpus: 3, memoryGib: 9 }]

export const bounded = ({ actions }: Decision) => actions.flatMap((action) => (action.kind === 'repairClaim' ? [action] : []))

/** The default policies, without a bound of the drain. */
export const UNBOUNDED: readonly RepairPolicy[] = DEFAULT_REPAIR_POLICIES.map((policy) =>
  defined({ ...policy, terminationGracePeriod: undefined }),
)
