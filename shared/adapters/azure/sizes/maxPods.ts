import type { NodeClassSpec } from '../../../model/nodeClass.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'

/** Pods a node takes: what the class says, else what the network plugin has addresses for. */
export function maxPodsOf(
  spec: Pick<NodeClassSpec, 'maxPods'>,
  config: Pick<ClusterConfig, 'networkPlugin' | 'networkPluginMode'>,
): number {
  if (spec.maxPods !== undefined) return spec.maxPods
  if (config.networkPlugin === 'none') return 250
  if (config.networkPlugin === 'azure') return config.networkPluginMode === 'overlay' ? 250 : 30
  return 110
}

/** The class keeps pods in the subnet of the nodes: an interface then needs an address for each pod. */
export function isNodeSubnet(config: Pick<ClusterConfig, 'networkPlugin' | 'networkPluginMode'>): boolean {
  return config.networkPlugin === 'azure' && config.networkPluginMode !== 'overlay'
}
