import type { ClusterId } from './ids.ts'
import type { EpochMs } from './units.ts'

/** Somebody wants to know why. The answer is put where whoever asks the same looks for it. */
export type ExplainRequest = {
  readonly kind: 'explain'
  readonly cluster: ClusterId
  readonly about: 'pod' | 'nodeClaim'
  /** `namespace/name` of a pod; the name of a claim, or of its node. */
  readonly name: string
  readonly askedAt: EpochMs
}
