import type { Action, TaintPlanned } from '../../model/decision.ts'
import { TAINT_KEY } from '../../model/labels.ts'
import { type Taint, withoutPlanned } from '../../model/taint.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doEach } from '../deps/doEach.ts'

/**
 * Writes the taints of nodes that are planned to go. A write that fails is only logged: the next decision finds again what is missing, and no pod
 * waits for it.
 */
export async function taintPlanned(deps: ClusterDeps, actions: readonly TaintPlanned[], signal: AbortSignalLike): Promise<void> {
  await doEach(
    deps,
    actions,
    ({ node }) => `the taint ${TAINT_KEY.disruptionPlanned} of node ${node}`,
    (action) => write(deps, action, signal),
  )
}

export function isTaintPlanned(action: Action): action is TaintPlanned {
  return action.kind === 'taintPlanned'
}

/** The node is read live, since the list of taints is written as a whole. A node that somebody writes meanwhile is left to the next decision. */
async function write({ api }: ClusterDeps, { node: name, uid, plannedAt }: TaintPlanned, signal: AbortSignalLike): Promise<void> {
  const node = await api.getNode(name, signal)
  if (node === undefined || node.meta.uid !== uid || node.meta.deletedAt !== undefined) return
  const taints = plannedAt === undefined ? withoutPlanned(node.taints) : withPlanned(node.taints, Math.floor(plannedAt / 1_000))
  if (taints !== node.taints) await api.patchNode(node, { taints }, signal)
}

/** The taints with the taint of planned nodes. A node that is closed already keeps its taints. */
function withPlanned(taints: readonly Taint[], seconds: number): readonly Taint[] {
  if (taints.some(({ key }) => key === TAINT_KEY.disrupted)) return taints
  return [...withoutPlanned(taints), { key: TAINT_KEY.disruptionPlanned, value: `${seconds}`, effect: 'PreferNoSchedule' }]
}
