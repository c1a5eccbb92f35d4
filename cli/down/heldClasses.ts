import { nodeClassName } from '../../shared/model/ids.ts'
import { CLASS_FINALIZER } from '../../shared/model/labels.ts'
import { refersTo } from '../../shared/model/nodeClass.ts'
import { Fault } from '../../shared/model/problem.ts'
import type { DownCluster } from './downCluster.ts'
import { claimsOf } from './inventory.ts'
import { listObjects } from './kubeObjects.ts'

type Held = Pick<DownCluster, 'api' | 'call'>

const CLASSES = '/apis/karpenter.azure.com/v1beta1/aksnodeclasses'

/**
 * Returns the names of AKSNodeClasses with the finalizer. Without Joiner, nothing removes the finalizer. A class that NodeClaims use counts only if
 * `evenInUse` is true.
 */
export async function heldClasses(cluster: Held, evenInUse: boolean, signal: AbortSignal): Promise<readonly string[]> {
  const classes = await listObjects(cluster.call, CLASSES, {}, signal)
  const held = classes.filter(({ metadata }) => metadata.finalizers.includes(CLASS_FINALIZER)).map(({ metadata }) => metadata.name)
  if (evenInUse || held.length === 0) return held
  const claims = await claimsOf(cluster, signal)
  return held.filter((name) => !claims.some(({ spec }) => refersTo(spec, nodeClassName(name))))
}

/** Removes the finalizer of these classes. A class that is gone counts as released. */
export async function releaseClasses({ api }: Held, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (const name of names) {
    const nodeClass = await api.getNodeClass(nodeClassName(name), signal)
    if (nodeClass === undefined) continue
    const others = nodeClass.meta.finalizers.filter((finalizer) => finalizer !== CLASS_FINALIZER)
    const written = await api.patchNodeClassFinalizers(nodeClass, others, signal)
    if (!written.ok && written.error.code !== 'KUBE.NOT_FOUND') throw new Fault(`release aksnodeclass ${name}`, written.error)
  }
}
