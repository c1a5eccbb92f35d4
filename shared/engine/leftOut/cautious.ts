/** What a decision must not do since it does not see all objects. */
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Action, Decision } from '../../model/decision.ts'
import { attempt, type Member, type Value } from './members.ts'

/** `takesNone`: the machine of some object cannot be told, so no machine may be taken away. */
export type Cautious = { readonly part: ClusterSnapshot; readonly takesNone: boolean }

/**
 * The part of the snapshot to decide about if these members are left out. A node without one of its pods looks emptier than it is, and a NodePool
 * with replicas looks as if it lacked a node. So the machines of these members are left out as a whole, and so are NodePools with replicas. Pods
 * that are promised to such a machine wait.
 */
export function cautious(whole: ClusterSnapshot, part: ClusterSnapshot, failing: readonly Member[]): Cautious {
  const values = new Set<Value>(failing.map(({ value }) => value))
  const isFailing = (value: Value): boolean => values.has(value)
  const claims = whole.objects.nodeClaim.filter(isFailing)
  const names = [
    ...whole.objects.pod.filter(isFailing).map((pod) => attempt(() => pod.nodeName ?? '')),
    ...whole.objects.node.filter(isFailing).map((node) => attempt(() => node.name)),
    ...claims.map((claim) => attempt(() => claim.status.nodeName ?? '')),
  ]
  const nodes = new Set<string | undefined>(names.filter((name) => name !== undefined && name !== ''))
  const takesNone = names.includes(undefined)
  if (nodes.size === 0 && claims.length === 0) return { part, takesNone }
  const { objects } = part
  const nodeClaim = objects.nodeClaim.filter(({ status }) => !nodes.has(status.nodeName))
  const left = new Set(nodeClaim.map(({ name }) => name))
  const drafted = new Set(part.drafts.map(({ name }) => name))
  const isGone = ({ claim }: ClusterSnapshot['nominations'][number]): boolean => !left.has(claim) && !drafted.has(claim)
  const promised = new Set(part.nominations.filter(isGone).map(({ pod }) => pod))
  const kept = {
    nodeClaim,
    node: objects.node.filter(({ name }) => !nodes.has(name)),
    nodePool: objects.nodePool.filter(({ replicas }) => replicas === undefined),
    pod: objects.pod.filter(({ nodeName, uid }) => nodeName !== undefined || !promised.has(uid)),
  }
  return { part: { ...part, objects: { ...objects, ...kept } }, takesNone }
}

/** The decision without what takes machines away, except broken and expired ones. */
export function withoutTaking(decision: Decision): Decision {
  return { ...decision, actions: decision.actions.filter((action) => !isTaking(action)) }
}

function isTaking(action: Action): boolean {
  if (action.kind === 'createClaim') return action.command !== undefined
  return action.kind === 'deleteClaim' || action.kind === 'startCommand' || action.kind === 'scaleDownClaim'
}
