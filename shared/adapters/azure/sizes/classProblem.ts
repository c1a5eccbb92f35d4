import { cloudProblem } from '../../../model/cloud.ts'
import { NEWEST_MINOR } from '../../../model/clusterFacts.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { localDnsProblem } from '../bootstrap/localDns.ts'
import { kubernetesVersionOf } from '../images/imageChoice.ts'
import { minorOf } from '../images/imageFamily.ts'
import { tagRule } from '../machines/tags.ts'

/**
 * Why no machine of any size is made for the NodeClass. Undefined if machines can be made. The facts of the cluster may change at any time, so this is
 * asked in each decision and before each launch.
 */
export function classProblem(nodeClass: NodeClass, config: ClusterConfig): Problem | undefined {
  const object = `aksnodeclass/${nodeClass.name}`
  const unsupported = [...config.unsupported, ...[cloudProblem(config.location) ?? []].flat(), ...versionProblem(nodeClass, config)]
  if (unsupported.length > 0) {
    const message = `aksnodeclass ${nodeClass.name}: no machine is made in cluster ${config.clusterName}: ${unsupported.join('; ')}`
    return problem('CLUSTER.UNSUPPORTED', message, { object })
  }
  const tags = tagRule(nodeClass, config)
  if (tags !== undefined)
    return problem('NODECLASS.INVALID', `aksnodeclass ${nodeClass.name}: spec.tags: ${tags}`, { object, path: 'spec.tags' })
  const [unsaid] = unsaidFields(nodeClass, config)
  if (unsaid !== undefined)
    return problem('NODECLASS.INVALID', `aksnodeclass ${nodeClass.name}: ${unsaid.message}`, { object, path: unsaid.path })
  const dns = localDnsProblem(nodeClass, config)
  if (dns === undefined) return undefined
  const message = `aksnodeclass ${nodeClass.name}: ${dns.path} ${dns.says}; correct it, or set spec.localDNS.mode to Disabled`
  return problem('NODECLASS.INVALID', message, { object, path: dns.path })
}

function versionProblem(nodeClass: NodeClass, config: ClusterConfig): readonly string[] {
  const version = kubernetesVersionOf(nodeClass, config)
  if (minorOf(version) <= NEWEST_MINOR) return []
  return [
    `Kubernetes ${version} is newer than 1.${NEWEST_MINOR}, the newest version that this Joiner knows; use a newer Joiner, or set kubernetesVersion in the entry of the cluster to a version of 1.${NEWEST_MINOR}`,
  ]
}

/** The fields that pools of the cluster have and the NodeClass leaves open. Without a word, its nodes would be less protected than those pools. */
function unsaidFields(
  { spec }: NodeClass,
  { fipsPools, encryptedPools }: ClusterConfig,
): readonly { readonly path: string; readonly message: string }[] {
  const missing = (path: string, pools: readonly string[], what: string, choices: string) => ({
    path,
    message: `${path} is not set, and the nodes of ${pools.join(', ')} ${what}; set it to ${choices}`,
  })
  return [
    ...(fipsPools.length > 0 && spec.fipsMode === undefined
      ? [missing('spec.fipsMode', fipsPools, 'run FIPS images', 'FIPS or Disabled')]
      : []),
    ...(encryptedPools.length > 0 && spec.encryptionAtHost === undefined
      ? [missing('spec.encryptionAtHost', encryptedPools, 'have encryption at host', 'true or false')]
      : []),
  ]
}
