import { InternalError } from '../../shared/base/result.ts'
import { recordAt, textAt } from './json.ts'
import type { LocalAzure } from './startAzure.ts'

/**
 * The labels that a node of the cluster needs before its network works, `key=value` each.
 *
 * - With overlay, the container networking service makes the node's network by these labels. Source: Azure/azure-container-networking, the nodes that
 *   its scale test of the control plane makes, read on 2026-11-29. Nothing published says what happens without one of them. The emulator assumes the
 *   worse case, that the network never works.
 * - The agent of Cilium runs only on nodes with its label. Source: Azure/karpenter-provider-azure, pkg/providers/labels, 2026-08-21.
 */
export function networkLabelsOf(azure: Pick<LocalAzure, 'clusterResourceId' | 'subnetId' | 'getResource'>): readonly string[] {
  const profile = recordAt(azure.getResource(azure.clusterResourceId)?.['properties'], 'networkProfile')
  return [
    ...(profile['networkPluginMode'] === 'overlay' ? overlayLabels(azure) : []),
    ...(profile['networkDataplane'] === 'cilium' ? ['kubernetes.azure.com/ebpf-dataplane=cilium'] : []),
  ]
}

function overlayLabels({ subnetId, getResource }: Pick<LocalAzure, 'subnetId' | 'getResource'>): readonly string[] {
  const network = getResource(subnetId.replace(/\/subnets\/[^/]*$/, ''))
  const guid = textAt(network?.['properties'], 'resourceGuid')
  if (guid === undefined) throw new InternalError('the virtual network of the cluster has no resourceGuid')
  return [
    'kubernetes.azure.com/podnetwork-type=overlay',
    'kubernetes.azure.com/azure-cni-overlay=true',
    `kubernetes.azure.com/nodenetwork-vnetguid=${guid}`,
  ]
}
