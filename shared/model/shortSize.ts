import type { NodeClassName, VmSizeName } from './ids.ts'
import type { Resources } from './resources.ts'
import type { EpochMs } from './units.ts'

/** A size whose newest node has less room for pods than the catalog promises. New nodes of the class are planned with that much less. */
export type ShortSize = {
  readonly nodeClass: NodeClassName
  readonly size: VmSizeName
  /** A hash of what the nodes of the class are made from. With another hash, nodes may have other room. */
  readonly madeFrom: string
  readonly short: Resources
  /** When the NodeClaim of that node was created. */
  readonly createdAt: EpochMs
}
