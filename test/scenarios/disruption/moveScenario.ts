/** The notation of the scenarios about machines that go: a cluster in the notation of the others, and what is done with each machine. */
import type { Labels } from '../../../shared/model/meta.ts'
import type { Budget, DisruptionPolicy } from '../../../shared/model/nodePool.ts'
import type { ProblemCode } from '../../../shared/model/problem.ts'
import type { Given } from '../scenario.ts'

export type MoveScenarios = { readonly [sentence: string]: MoveScenario }

export type MoveScenario = {
  readonly given: Given & {
    /** By pool; every pool lets all of its nodes go unless its budgets are stated. */
    readonly policies?: { readonly [pool: string]: Omit<Partial<DisruptionPolicy>, 'budgets'> & { readonly budgets?: readonly Budget[] } }
    /** Annotations of pools. */
    readonly asks?: { readonly [pool: string]: Labels }
    /** Nodes whose claims have drifted, the one that did first coming first. */
    readonly drifted?: string
    /** `karpenter.sh/do-not-disrupt` of nodes and pods, by name. */
    readonly kept?: { readonly [name: string]: string }
    /** `controller.kubernetes.io/pod-deletion-cost` of pods, by name. */
    readonly deletionCosts?: { readonly [pod: string]: string }
    /** Nodes whose claims have a termination grace period. */
    readonly graced?: string
  }
  readonly want: MoveWant
}

/** Only what is named is looked at; a node that is named nowhere may go or stay. */
export type MoveWant = {
  /** Nodes that go without anything new, for the reason. */
  readonly goes?: { readonly [reason in 'Empty' | 'Underutilized' | 'Drifted']?: string }
  /** How many go without anything new. */
  readonly deleting?: number
  /** Nodes, together in one move, to the sizes that the claims in their place may become: `'*'` any. */
  readonly replaced?: { readonly [nodes: string]: string }
  readonly replacing?: number
  /** Why nodes stay; `quiet` for those that wait to be quiet. */
  readonly stays?: { readonly [node: string]: ProblemCode | 'silent' }
  /** Part of what the reason of some node says. */
  readonly says?: string
  /** Dollars an hour that the move with a replacement saves. */
  readonly saves?: number
}
