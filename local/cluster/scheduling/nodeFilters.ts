import { ownValue } from '../../../shared/base/values.ts'
import type { Pod } from '../client/objects.ts'
import { type Amounts, podRequests } from '../quantity.ts'
import { selectsNode } from '../selector.ts'
import { untolerated } from '../toleration.ts'
import type { NodeView } from './clusterView.ts'

/** Why a node cannot take a pod, in the words of the real scheduler. Empty if it can. */
export type Refusals = readonly string[]

export type NodeFilter = (pod: Pod, view: NodeView) => Refusals

const FITS: Refusals = []

/** Runs the filters that look at one node alone, in the order of the real scheduler. Returns the refusals of the first filter that refuses. */
export function refusalsOfNode(pod: Pod, view: NodeView): Refusals {
  for (const filter of NODE_FILTERS) {
    const refusals = filter(pod, view)
    if (refusals.length > 0) return refusals
  }
  return FITS
}

const NODE_FILTERS: readonly NodeFilter[] = [isSchedulable, isNamedNode, toleratesTaints, matchesAffinity, hasFreePorts, hasRoom]

function isSchedulable(pod: Pod, { node }: NodeView): Refusals {
  if (node.spec.unschedulable !== true) return FITS
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
  return untolerated([taint], pod.spec.tolerations, ['NoSchedule']) === undefined ? FITS : ['node(s) were unschedulable']
}

function isNamedNode(pod: Pod, { node }: NodeView): Refusals {
  const name = pod.spec.nodeName
  return !name || name === node.metadata.name ? FITS : ["node(s) didn't match the requested node name"]
}

function toleratesTaints(pod: Pod, { node }: NodeView): Refusals {
  const taint = untolerated(node.spec.taints, pod.spec.tolerations, ['NoSchedule', 'NoExecute'])
  return taint === undefined ? FITS : [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`]
}

function matchesAffinity(pod: Pod, { node }: NodeView): Refusals {
  return selectsNode(pod.spec, node) ? FITS : ["node(s) didn't match Pod's node affinity/selector"]
}

function hasFreePorts(pod: Pod, view: NodeView): Refusals {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return FITS
  const taken = [...view.pods.values()].flatMap(hostPorts)
  return wanted.some((port) => taken.some((other) => collide(port, other)))
    ? ["node(s) didn't have free ports for the requested pod ports"]
    : FITS
}

type HostPort = { readonly ip: string; readonly port: number; readonly protocol: string }

const portsOf = new WeakMap<Pod, readonly HostPort[]>()

function hostPorts(pod: Pod): readonly HostPort[] {
  const ports = portsOf.get(pod) ?? listHostPorts(pod)
  portsOf.set(pod, ports)
  return ports
}

function listHostPorts(pod: Pod): readonly HostPort[] {
  const sidecars = (pod.spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always')
  return [...sidecars, ...pod.spec.containers].flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort ? [{ ip: hostIP || '0.0.0.0', port: hostPort, protocol: protocol || 'TCP' }] : [],
    ),
  )
}

function collide(first: HostPort, second: HostPort): boolean {
  const sameAddress = first.ip === second.ip || first.ip === '0.0.0.0' || second.ip === '0.0.0.0'
  return sameAddress && first.port === second.port && first.protocol === second.protocol
}

/** A kubelet checks the same before it admits a pod. */
function hasRoom(pod: Pod, view: NodeView): Refusals {
  const short = shortages(podRequests(pod.spec), view)
  if (short.length === 0) return FITS
  return short.map((resource) => (resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`))
}

/** Returns the resources of which the node has less free than the pod requests. */
function shortages(requests: Amounts, view: NodeView): readonly string[] {
  const short: string[] = []
  for (const [resource, amount] of Object.entries(requests)) {
    const free = (ownValue(view.allocatable, resource) ?? 0) - (ownValue(view.requested, resource) ?? 0)
    if (amount > 0 && amount > free) short.push(resource)
  }
  return short
}
