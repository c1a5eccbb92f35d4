import { ownValue } from '../../shared/base/values.ts'
import { LABEL, type Labels } from '../../shared/model/labels.ts'
import type { PodRow } from './podColumns.ts'
import type { SeenNode, SeenObjects } from './seenObjects.ts'
import { COUNTERS, POD_PLACE, SERVED_METRICS, type ServedMetric, type ServedName } from './servedMetrics.ts'

/** Lines are joined to texts of about this length, so that no answer is in memory as a whole. */
const CHUNK = 65_536

/** The metrics of Karpenter in the text format of Prometheus, in pieces, made of what is known now. */
export function* metricsText(seen: SeenObjects): Generator<string> {
  let text = ''
  for (const line of linesOf(seen)) {
    text += line
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function* linesOf({ pools, nodes, pods, counts }: SeenObjects): Generator<string> {
  yield* poolLines(pools)
  yield* nodeLines('karpenter_nodes_allocatable', nodes, (name) => Object.entries(nodes.get(name)?.allocatable ?? {}))
  const own = new Map<string, Map<string, number>>()
  const ofDaemons = new Map<string, Map<string, number>>()
  const places = new Map<string, string>()
  yield head('karpenter_pods_state')
  for (const row of pods.rows()) {
    addRequests(row.isDaemon ? ofDaemons : own, row)
    yield podState(row, placeOf(row.node, nodes, places))
  }
  yield* nodeLines('karpenter_nodes_total_pod_requests', nodes, (name) => own.get(name) ?? [])
  yield* nodeLines('karpenter_nodes_total_daemon_requests', nodes, (name) => ofDaemons.get(name) ?? [])
  yield* counterLines(counts)
}

function* poolLines(pools: SeenObjects['pools']): Generator<string> {
  yield head('karpenter_nodepools_usage')
  for (const [nodepool, { usage }] of pools) yield* amounts('karpenter_nodepools_usage', { nodepool }, Object.entries(usage))
  yield head('karpenter_nodepools_limit')
  for (const [nodepool, { limits }] of pools) yield* amounts('karpenter_nodepools_limit', { nodepool }, Object.entries(limits))
}

type Amounts = Iterable<readonly [resource: string, amount: number]>

function* nodeLines(metric: ServedName, nodes: SeenObjects['nodes'], amountsOf: (name: string) => Amounts): Generator<string> {
  yield head(metric)
  for (const [name, node] of nodes) yield* amounts(metric, nodeLabels(name, node), amountsOf(name))
}

function* counterLines(counts: SeenObjects['counts']): Generator<string> {
  for (const counter of COUNTERS) {
    yield head(counter)
    for (const { name, labels, value } of counts.values()) if (name === counter) yield sample(name, labels, value)
  }
}

function head(name: ServedName): string {
  const { type, from }: ServedMetric = SERVED_METRICS[name]
  return `# HELP ${name} ${from}\n# TYPE ${name} ${type}\n`
}

function* amounts(name: ServedName, labels: Labels, resources: Amounts): Generator<string> {
  for (const [resource, amount] of resources) {
    const resource_type = resource.toLowerCase().replaceAll('-', '_')
    yield sample(name, { ...labels, resource_type }, resource === 'cpu' ? amount / 1000 : amount)
  }
}

function sample(name: ServedName, labels: Labels, value: number): string {
  const { labels: names }: ServedMetric = SERVED_METRICS[name]
  return `${name}{${labelText(names, labels)}} ${value}\n`
}

function labelText(names: readonly string[], labels: Labels): string {
  return names.map((label) => `${label}="${escaped(ownValue(labels, label) ?? '')}"`).join(',')
}

function escaped(text: string): string {
  return !/["\\\n]/.test(text) ? text : text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function nodeLabels(name: string, { labels }: SeenNode): Labels {
  return {
    node_name: name,
    nodepool: labels[LABEL.nodePool] ?? '',
    zone: labels[LABEL.zone] ?? '',
    region: labels[LABEL.region] ?? '',
    instance_type: labels[LABEL.instanceType] ?? '',
    arch: labels[LABEL.arch] ?? '',
    os: labels[LABEL.os] ?? '',
    capacity_type: labels[LABEL.capacityType] ?? '',
    managed: String(labels[LABEL.nodePool] !== undefined),
  }
}

/** Karpenter's text for the place of a pod without a node. */
const NOWHERE = 'N/A'

/** The line of a pod, in the order of the labels in the contract. A large cluster has very many, so the text of a node is made once. */
function podState({ key, node, owner, phase, isReady }: PodRow, place: string): string {
  const slash = key.indexOf('/')
  const own = `name="${key.slice(slash + 1)}",namespace="${key.slice(0, slash)}",owner="${escaped(owner)}"`
  return `karpenter_pods_state{${own},scheduled="${node !== ''}",phase="${phase}",ready="${isReady}",${place}} 1\n`
}

/** The labels of the node of a pod, as text. */
function placeOf(name: string, nodes: SeenObjects['nodes'], places: Map<string, string>): string {
  const present = places.get(name)
  if (present !== undefined) return present
  const node = nodes.get(name)
  const labels: Labels =
    node === undefined
      ? { node: name, nodepool: NOWHERE, zone: NOWHERE, arch: NOWHERE, capacity_type: NOWHERE, instance_type: NOWHERE, managed: 'false' }
      : { ...nodeLabels(name, node), node: name }
  const text = labelText(POD_PLACE, labels)
  places.set(name, text)
  return text
}

function addRequests(sums: Map<string, Map<string, number>>, { node, requests }: PodRow): void {
  if (node === '') return
  const sum = sums.get(node) ?? new Map<string, number>()
  sums.set(node, sum)
  for (const [resource, amount] of Object.entries(requests)) sum.set(resource, (sum.get(resource) ?? 0) + amount)
}
