import type { NodeClassSpec } from '../../../model/nodeClass.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'

/** The most pods of a node: the number in the NodeClass, or else the default of the network plugin. */
export function maxPodsOf(
  spec: Pick<NodeClassSpec, 'maxPods'>,
  config: Pick<ClusterConfig, 'networkPlugin' | 'networkPluginMode'>,
): number {
  if (spec.maxPods !== undefined) return spec.maxPods
  if (config.networkPlugin === 'none') return 250
  if (config.networkPlugin === 'azure') return config.networkPluginMode === 'overlay' ? 250 : 30
  return 110
}

/** Reports whether pods are in the subnet of the nodes. Then a network interface needs an address for each pod. */
export function isNodeSubnet(config: Pick<ClusterConfig, 'networkPlugin' | 'networkPluginMode'>): boolean {
  return config.networkPlugin === 'azure' && config.networkPluginMode !== 'overlay'
}
