import type { DaemonSet, Node, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../client/objects.ts'
import { selectsNode } from '../selector.ts'
import { untolerated } from '../toleration.ts'

/** The tolerations of every daemon pod, which stays on its node in good and bad conditions. */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]
const HOST_NETWORK: Toleration = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' }

/** Reports whether a node should get a daemon pod (`run`), and whether a daemon pod on the node may stay (`stay`). */
export function daemonFits(set: DaemonSet, node: Node): { readonly run: boolean; readonly stay: boolean } {
  const spec = { ...templateSpec(set), tolerations: tolerationsOf(set) }
  if (!selectsNode(spec, node)) return { run: false, stay: false }
  const stay = untolerated(node.spec.taints, spec.tolerations, ['NoExecute']) === undefined
  return { run: stay && untolerated(node.spec.taints, spec.tolerations, ['NoSchedule']) === undefined, stay }
}

/** What the daemon pod of a node has in addition to its template: required affinity to the name of the node, and tolerations. */
export function daemonPodSpec(set: DaemonSet, nodeName: string): Partial<Pod['spec']> {
  const { affinity } = templateSpec(set)
  const field = { key: 'metadata.name', operator: 'In', values: [nodeName] }
  const terms: readonly NodeSelectorTerm[] = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [
    {},
  ]
  const pinned = terms.map((term) => ({ ...term, matchFields: [field] }))
  return {
    tolerations: tolerationsOf(set),
    affinity: {
      ...affinity,
      nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: pinned } },
    },
  }
}

/** Returns the node of a daemon pod, whether the pod is bound already or not. */
export function nodeOfDaemonPod(pod: Pod): string | undefined {
  if (pod.spec.nodeName) return pod.spec.nodeName
  const [term] = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return term?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0]
}

function templateSpec(set: DaemonSet): PodSpec {
  return set.spec.template.spec ?? { containers: [] }
}

function tolerationsOf(set: DaemonSet): readonly Toleration[] {
  const { tolerations, hostNetwork } = templateSpec(set)
  return [...(tolerations ?? []), ...DAEMON_TOLERATIONS, ...(hostNetwork === true ? [HOST_NETWORK] : [])]
}
