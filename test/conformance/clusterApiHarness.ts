import type { NodeClaimName, NodeName, ObjectKey } from '../../shared/model/ids.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import type { Closing } from './harness.ts'

/** One API server, with one ready NodePool and one AKSNodeClass, both named `default`. */
export type ClusterApiHarness = Closing & {
  readonly api: ClusterApi
  readonly makeNode: (name: string, labels?: Labels) => Promise<void>
  /** Attaches the volume to the node. */
  readonly makeAttachment: (attachment: { readonly name: string; readonly node: NodeName; readonly volume: string }) => Promise<void>
  /** Makes a running pod in namespace `default`. */
  readonly makePod: (pod: PodToMake) => Promise<void>
  readonly hasPod: (key: ObjectKey) => Promise<boolean>
  /** Makes a PodDisruptionBudget in namespace `default` for the pods with these labels. */
  readonly makeBudget: (budget: { readonly name: string; readonly labels: Labels; readonly disruptionsAllowed: number }) => Promise<void>
  readonly tokenOf: (claim: NodeClaimName) => Promise<{ readonly token: string; readonly expiresAt: number } | undefined>
  /** The events that the API server has, each as `Reason message xCount`. */
  readonly events: () => Promise<readonly string[]>
}

/**
 * `isNominated`: the pod is nominated for the node. `refusal`: the scheduler says why it does not bind the pod. Otherwise the pod is bound to the node,
 * and runs.
 */
type PodToMake = {
  readonly name: string
  readonly node: NodeName
  readonly labels?: Labels
  readonly isNominated?: true
  readonly refusal?: string
}

export type MakeClusterApi = () => Promise<ClusterApiHarness> | ClusterApiHarness
