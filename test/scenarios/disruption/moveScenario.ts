/** The notation of the disruption scenarios: a cluster in the notation of the other scenarios, and what happens to each machine. */
import type { Labels } from '../../../shared/model/labels.ts'
import type { Budget, DisruptionPolicy } from '../../../shared/model/nodePool.ts'
import type { ProblemCode } from '../../../shared/model/problem.ts'
import type { Given } from '../scenario.ts'

export type MoveScenarios = { readonly [sentence: string]: MoveScenario }

export type MoveScenario = {
  readonly given: Given & {
    /** Disruption policies by pool. A pool without budgets allows all of its nodes to be disrupted. */
    readonly policies?: { readonly [pool: string]: Omit<Partial<DisruptionPolicy>, 'budgets'> & { readonly budgets?: readonly Budget[] } }
    /** Annotations of pools. */
    readonly asks?: { readonly [pool: string]: Labels }
    /** Nodes whose claims have drifted, in the order of drift. */
    readonly drifted?: string
    /** `karpenter.sh/do-not-disrupt` of nodes and pods, by name. */
    readonly kept?: { readonly [name: string]: string }
    /** `controller.kubernetes.io/pod-deletion-cost` of pods, by name. */
    readonly deletionCosts?: { readonly [pod: string]: string }
    /** Nodes whose claims have a termination grace period. */
    readonly graced?: string
    /** What new nodes get. What is left out is not known. */
    readonly newNodes?: MadeFrom
    /** What nodes got when they were made, by name. What is left out is not known. */
    readonly madeFrom?: { readonly [node: string]: MadeFrom }
  }
  readonly want: MoveWant
}

/** The Kubernetes version, the client id of the kubelet's identity, the image, and the size of the OS disk in GiB. */
export type MadeFrom = { readonly version?: string; readonly identity?: string; readonly image?: string; readonly disk?: number }

/** Only the named fields are checked. A node that is not named may be disrupted or stay. */
export type MoveWant = {
  /** Nodes that are deleted without a replacement, by reason. */
  readonly goes?: { readonly [reason in 'Empty' | 'Underutilized' | 'Drifted']?: string }
  /** The number of nodes that are deleted without a replacement. */
  readonly deleting?: number
  /** Nodes that are replaced together in one move, mapped to the sizes that their replacements may become: `'*'` is any. */
  readonly replaced?: { readonly [nodes: string]: string }
  readonly replacing?: number
  /** The reasons why nodes stay. `silent` if the decision gives no reason for the node. */
  readonly stays?: { readonly [node: string]: ProblemCode | 'silent' }
  /** The reason of drift that the decision writes on the claim of each node: `none` if it writes none. */
  readonly marked?: { readonly [node: string]: string }
  /** Part of the message of any reason, or of any drift that the decision writes. */
  readonly says?: string
  /** The saving of the move with a replacement, in dollars per hour. */
  readonly saves?: number
}
