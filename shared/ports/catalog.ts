import type { QuotaUsages } from '../model/askedCores.ts'
import type { InstanceType, LeftOutSizes } from '../model/instanceType.ts'
import type { NodeVersions } from '../model/node.ts'
import type { NodeClass } from '../model/nodeClass.ts'
import type { Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** All instance types of a region, with their offerings and prices, as a NodeClass shapes them. */
export interface Catalog {
  /** Returns the instance types. Fetches them if no process ever did. Empty while that fails. */
  instanceTypes(nodeClass: NodeClass, signal: AbortSignalLike): Promise<readonly InstanceType[]>
  /** Returns why no size of the region serves the class. Undefined if some size does, or if the sizes are not known yet. */
  sizeProblem(nodeClass: NodeClass, signal: AbortSignalLike): Promise<Problem | undefined>
  /**
   * Returns the version and images that new nodes of the class should have. All processes return the same, except for the moment in which they change.
   * What is not known is left out.
   */
  nodeVersions(nodeClass: NodeClass, signal: AbortSignalLike): Promise<NodeVersions>
  /** Returns limit and usage of the quotas of the region as last read. Undefined if they are not known, or too old to count with. */
  quota(signal: AbortSignalLike): Promise<QuotaUsages | undefined>
  /** Returns the sizes of the region that no cluster can have. Empty if they are not known. */
  leftOutSizes(signal: AbortSignalLike): Promise<LeftOutSizes>
  /** Fetches the sizes, prices, quota and image versions that are due, and stores them for all processes. */
  refresh(signal: AbortSignalLike): Promise<CatalogAge>
}

export type CatalogAge = { readonly sizes: number; readonly prices: number; readonly fetchedAt: EpochMs }
