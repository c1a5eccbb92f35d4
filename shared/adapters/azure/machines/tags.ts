import { LABEL } from '../../../model/labels.ts'
import { TAG, userTags } from '../../../model/machineTags.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import { type EpochMs, epochMs } from '../../../model/units.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'

/** The tags of machine and interface: those of users, and Joiner's own. */
export function machineTags(claim: NodeClaim, nodeClass: NodeClass, config: ClusterConfig): Record<string, string> {
  const nodePool = claim.meta.labels[LABEL.nodePool]
  return {
    ...userTags(nodeClass, config.additionalTags),
    [TAG.clusterName]: config.clusterName,
    [TAG.billing]: 'linux',
    [TAG.cluster]: config.id,
    [TAG.claimCreated]: String(claim.meta.createdAt),
    ...(nodePool === undefined ? {} : { [TAG.nodePool]: nodePool }),
  }
}

/** When the claim of an interface was created. Undefined if the tag was removed or is not a number. */
export function claimCreatedAt({ tags }: { readonly tags?: Readonly<Record<string, string>> }): EpochMs | undefined {
  const at = tags?.[TAG.claimCreated]
  return at !== undefined && /^[0-9]{1,16}$/.test(at) ? epochMs(Number(at)) : undefined
}
