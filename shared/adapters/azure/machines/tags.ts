import { LABEL } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import { type EpochMs, epochMs } from '../../../model/units.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'

export const TAG = {
  clusterName: 'karpenter.azure.com_cluster',
  nodePool: 'karpenter.sh_nodepool',
  billing: 'compute.aks.billing',
  /** Ours: the cluster id, by which machines and interfaces of a shared resource group are told apart. */
  cluster: 'joiner.dev_cluster',
  /** Ours: when the claim was made, in epoch milliseconds. Azure does not say how old an interface is. */
  claimCreated: 'joiner.dev_claim-created',
} as const

/** Tags of machine and interface. Those of the setting come first, then the class's, then ours, which nobody overrides. */
export function machineTags(claim: NodeClaim, nodeClass: NodeClass, config: ClusterConfig): Record<string, string> {
  const nodePool = claim.meta.labels[LABEL.nodePool]
  return {
    ...spelled(config.additionalTags),
    ...spelled(nodeClass.spec.tags),
    [TAG.clusterName]: config.clusterName,
    [TAG.billing]: 'linux',
    [TAG.cluster]: config.id,
    [TAG.claimCreated]: String(claim.meta.createdAt),
    ...(nodePool === undefined ? {} : { [TAG.nodePool]: nodePool }),
  }
}

/** Azure takes no slash in a tag's name. */
function spelled(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.replaceAll('/', '_'), value]))
}

/** When the claim behind an interface was made. Undefined where somebody took the tag away or wrote over it: no number is not zero. */
export function claimCreatedAt({ tags }: { readonly tags?: Readonly<Record<string, string>> }): EpochMs | undefined {
  const at = tags?.[TAG.claimCreated]
  return at !== undefined && /^[0-9]{1,16}$/.test(at) ? epochMs(Number(at)) : undefined
}
