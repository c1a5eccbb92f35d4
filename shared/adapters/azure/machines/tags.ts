import { spelledTags, TAG, userTags } from '../../../model/instance.ts'
import { LABEL } from '../../../model/labels.ts'
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

/** The most tags of a resource. */
const MOST_TAGS = 50

/**
 * What Azure would refuse about the tags of the NodeClass and of the settings: more than 50, or two names that differ in case only. Azure takes such
 * names for one.
 */
export function tagRule({ spec }: NodeClass, config: Pick<ClusterConfig, 'additionalTags'>): string | undefined {
  const names = Object.keys({ ...spelledTags(config.additionalTags), ...spelledTags(spec.tags) })
  const all = [...new Set([...Object.values<string>(TAG), ...names])]
  for (const same of Map.groupBy(all, (name) => name.toLowerCase()).values())
    if (same.length > 1) return `tags ${same.join(' and ')} differ in case only, and Azure takes them for one; remove or rename one`
  if (all.length <= MOST_TAGS) return undefined
  const left = MOST_TAGS - Object.keys(TAG).length
  return `there are ${names.length} tags with additionalTags of the cluster, and a machine has room for ${left} beside those of Joiner; remove some`
}

/** When the claim of an interface was created. Undefined if the tag was removed or is not a number. */
export function claimCreatedAt({ tags }: { readonly tags?: Readonly<Record<string, string>> }): EpochMs | undefined {
  const at = tags?.[TAG.claimCreated]
  return at !== undefined && /^[0-9]{1,16}$/.test(at) ? epochMs(Number(at)) : undefined
}
