import { settle } from '../../base/concurrency.ts'
import { adopted, type NodeVersions } from '../../model/node.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, logRefused, problemOf } from './clusterDeps.ts'

/** What new nodes of a NodeClass should have. If that cannot be read, they stay as they are. */
export async function nodeVersionsOf(deps: ClusterDeps, nodeClass: NodeClass, signal: AbortSignalLike): Promise<NodeVersions | undefined> {
  const found = await settle(() => deps.catalog.nodeVersions(nodeClass, signal))
  if (found.ok) return found.value
  logRefused(deps, `the look at the images of aksnodeclass ${nodeClass.name}`, problemOf(found.error))
  return undefined
}

/**
 * The NodeClass with the version and images that a decision made now would write into its status. The watch may not show what the last decision wrote,
 * and a machine that is made from the status before would drift at once.
 */
export async function nodeClassNow(deps: ClusterDeps, nodeClass: NodeClass, signal: AbortSignalLike): Promise<NodeClass> {
  const versions = await nodeVersionsOf(deps, nodeClass, signal)
  return versions === undefined ? nodeClass : adopted(nodeClass, versions)
}
