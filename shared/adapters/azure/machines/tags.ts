import { LABEL } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import { type EpochMs, epochMs } from '../../../model/units.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'

export const TAG = {
  clusterName: 'karpenter.azure.com_cluster',
  nodePool: 'karpenter.sh_nodepool',
  billing: 'compute.aks.billing',
  /** Joiner's own: the cluster id, which tells the machines and interfaces in a shared resource group apart. */
  cluster: 'joiner.dev_cluster',
  /** Joiner's own: when the claim was created, in epoch milliseconds. Azure does not give the age of an interface. */
  claimCreated: 'joiner.dev_claim-created',
} as const

/** The tags of machine and interface. Tags of the NodeClass override those of the settings, and Joiner's own override both. */
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

/** The tags with names that Azure accepts: without a slash. */
function spelled(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.replaceAll('/', '_'), value]))
}

/** When the claim of an interface was created. Undefined if the tag was removed or is not a number. */
export function claimCreatedAt({ tags }: { readonly tags?: Readonly<Record<string, string>> }): EpochMs | undefined {
  const at = tags?.[TAG.claimCreated]
  return at !== undefined && /^[0-9]{1,16}$/.test(at) ? epochMs(Number(at)) : undefined
}
