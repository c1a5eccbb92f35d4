import { LABEL } from '../../shared/model/labels.ts'
import type { Labels } from '../../shared/model/meta.ts'
import type { PodRow } from './podColumns.ts'
import type { SeenNode, SeenObjects } from './seenObjects.ts'
import { SERVED_METRICS, type ServedMetric, type ServedName } from './servedMetrics.ts'

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
  yield head('karpenter_nodepools_usage')
  for (const [nodepool, { usage }] of pools) yield* amounts('karpenter_nodepools_usage', { nodepool }, Object.entries(usage))
  yield head('karpenter_nodepools_limit')
  for (const [nodepool, { limits }] of pools) yield* amounts('karpenter_nodepools_limit', { nodepool }, Object.entries(limits))
  yield head('karpenter_nodes_allocatable')
  for (const [name, node] of nodes) yield* amounts('karpenter_nodes_allocatable', nodeLabels(name, node), Object.entries(node.allocatable))
  const [own, ofDaemons] = requestsByNode(pods.rows())
  yield head('karpenter_nodes_total_pod_requests')
  for (const [name, node] of nodes) yield* amounts('karpenter_nodes_total_pod_requests', nodeLabels(name, node), own.get(name) ?? [])
  yield head('karpenter_nodes_total_daemon_requests')
  for (const [name, node] of nodes)
    yield* amounts('karpenter_nodes_total_daemon_requests', nodeLabels(name, node), ofDaemons.get(name) ?? [])
  yield head('karpenter_pods_state')
  for (const row of pods.rows()) yield sample('karpenter_pods_state', podLabels(row, nodes.get(row.node)), 1)
  for (const name of Object.keys(SERVED_METRICS) as ServedName[]) {
    if (SERVED_METRICS[name].type !== 'counter') continue
    yield head(name)
    for (const [id, count] of counts) if (id.startsWith(`${name} `)) yield sample(name, JSON.parse(id.slice(name.length)) as Labels, count)
  }
}

function head(name: ServedName): string {
  const { type, from }: ServedMetric = SERVED_METRICS[name]
  return `# HELP ${name} ${from}\n# TYPE ${name} ${type}\n`
}

function* amounts(name: ServedName, labels: Labels, resources: Iterable<readonly [resource: string, amount: number]>): Generator<string> {
  for (const [resource, amount] of resources) {
    const resource_type = resource.toLowerCase().replaceAll('-', '_')
    yield sample(name, { ...labels, resource_type }, resource === 'cpu' ? amount / 1000 : amount)
  }
}

function sample(name: ServedName, labels: Labels, value: number): string {
  const { labels: names }: ServedMetric = SERVED_METRICS[name]
  return `${name}{${names.map((label) => `${label}="${escaped(labels[label] ?? '')}"`).join(',')}} ${value}\n`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
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

function podLabels({ key, node, owner, phase, isReady }: PodRow, place: SeenNode | undefined): Labels {
  const slash = key.indexOf('/')
  const of = (label: string): string => (place === undefined ? NOWHERE : (place.labels[label] ?? ''))
  return {
    name: key.slice(slash + 1),
    namespace: key.slice(0, slash),
    owner,
    scheduled: String(node !== ''),
    phase,
    ready: String(isReady),
    node,
    nodepool: of(LABEL.nodePool),
    zone: of(LABEL.zone),
    arch: of(LABEL.arch),
    capacity_type: of(LABEL.capacityType),
    instance_type: of(LABEL.instanceType),
    managed: String(place?.labels[LABEL.nodePool] !== undefined),
  }
}

type Sum = ReadonlyMap<string, number>
type ByNode = ReadonlyMap<string, Sum>

function requestsByNode(rows: Iterable<PodRow>): readonly [own: ByNode, ofDaemons: ByNode] {
  const own = new Map<string, Map<string, number>>()
  const ofDaemons = new Map<string, Map<string, number>>()
  for (const { node, isDaemon, requests } of rows) {
    if (node === '') continue
    const sums = isDaemon ? ofDaemons : own
    const sum = sums.get(node) ?? new Map<string, number>()
    sums.set(node, sum)
    for (const [resource, amount] of Object.entries(requests)) sum.set(resource, (sum.get(resource) ?? 0) + amount)
  }
  return [own, ofDaemons]
}
