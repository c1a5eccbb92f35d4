import { idOf } from '../../cli/clusterName.ts'
import { defined } from '../../shared/base/values.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'

/** One item of the parameter `clusters` of the templates; `infra/types.bicep` says what each field is. */
export type ClusterParameter = {
  readonly name: string
  readonly id: string
  readonly nodeResourceGroup: string
  readonly oidcIssuer: string
  readonly subnetIds: readonly string[]
  readonly identityIds: readonly string[]
  readonly diskEncryptionSetId?: string
  readonly privateDnsZoneId?: string
  readonly overrides: { readonly [field: string]: unknown }
}

export type ReadCluster = {
  readonly facts: ClusterFacts
  readonly server: { readonly server: string; readonly caBundle: string }
  readonly privateDnsZoneId?: string | undefined
  /** A key for the machines of a cluster that was created without one. */
  readonly sshPublicKey?: string | undefined
}

/** Returns what the templates need of a cluster. Leaves out what Azure tells the app itself, because the app reads that again. */
export function clusterParameter(
  { facts, server, privateDnsZoneId, sshPublicKey }: ReadCluster,
  overrides: { readonly [field: string]: unknown } = {},
): ClusterParameter {
  const { resourceId, nodeResourceGroup, oidcIssuer = '', kubeletIdentity, network, apiServer, pools } = facts
  const given = overrides['vnetSubnetId']
  const subnets = [typeof given === 'string' ? given : network.subnetId, ...pools.map(({ subnetId }) => subnetId)]
  const identities = overrides['nodeIdentities']
  const set = overrides['diskEncryptionSetId']
  return {
    name: idOf(resourceId),
    id: resourceId,
    nodeResourceGroup,
    oidcIssuer,
    subnetIds: unique(subnets.filter((id) => id !== undefined)),
    identityIds: unique(
      Array.isArray(identities) ? identities.filter((id) => typeof id === 'string') : kubeletIdentity ? [kubeletIdentity.resourceId] : [],
    ),
    ...defined({ diskEncryptionSetId: typeof set === 'string' ? set : facts.diskEncryptionSetId, privateDnsZoneId }),
    overrides: {
      ...defined({ sshPublicKey }),
      caBundle: server.caBundle,
      // The name in ARM has no port. An unusual port is known from the kubeconfig only.
      ...defined({ apiServer: server.server === new URL(apiServer.url).origin ? undefined : server.server }),
      ...overrides,
    },
  }
}

/** Removes duplicates. Azure ignores the case of ids. */
function unique(ids: readonly string[]): readonly string[] {
  return [...new Map(ids.map((id) => [id.toLowerCase(), id])).values()]
}
