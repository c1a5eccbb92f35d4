import type { ClusterId } from './ids.ts'
import type { EpochMs } from './units.ts'

/** A request for an explanation. The answer is stored where every caller with the same question finds it. */
export type ExplainRequest = {
  readonly kind: 'explain'
  readonly cluster: ClusterId
  readonly about: 'pod' | 'nodeClaim'
  /** `namespace/name` of a pod, or the name of a claim or of its node. */
  readonly name: string
  readonly askedAt: EpochMs
}
