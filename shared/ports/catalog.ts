import type { InstanceType } from '../model/instanceType.ts'
import type { NodeClass } from '../model/nodeClass.ts'
import type { Problem } from '../model/problem.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from './clock.ts'

/** All instance types of a region, with their offerings and prices, as a NodeClass shapes them. */
export interface Catalog {
  /** Fetches them where nobody ever did; empty while that does not work. */
  instanceTypes(nodeClass: NodeClass, signal: AbortSignalLike): Promise<readonly InstanceType[]>
  /** Why none of the region's sizes serves the class. Undefined: some do, or they are not known yet. */
  sizeProblem(nodeClass: NodeClass, signal: AbortSignalLike): Promise<Problem | undefined>
  /** Fetches sizes, prices and quota where they are due and stores them for everybody. */
  refresh(signal: AbortSignalLike): Promise<CatalogAge>
}

export type CatalogAge = { readonly sizes: number; readonly prices: number; readonly fetchedAt: EpochMs }
