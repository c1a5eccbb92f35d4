/** The objects of a planned cluster, as manifests for the API server. Each carries the label of its case, so many cases can run side by side. */
import { ownValue } from '../../shared/base/values.ts'
import type { Resources } from '../../shared/model/resources.ts'
import type { PlannedNode } from './planCluster.ts'
import type { Manifest, PodSpec } from './randomCluster.ts'

export const CASE = 'agreement.example.com/case'

export function nameOf(seed: number, name: string): string {
  return `c${seed}-${name}`
}

/** The node controller copies these labels to their old names. A node that has both needs no further write. */
const OLD_NAMES = { 'kubernetes.io/os': 'beta.kubernetes.io/os', 'kubernetes.io/arch': 'beta.kubernetes.io/arch' } as const

export function withOldNames(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const copies = Object.entries(OLD_NAMES).flatMap(([name, old]) => {
    const value = ownValue(labels, name)
    return value === undefined ? [] : [[old, value] as const]
  })
  return { ...labels, ...Object.fromEntries(copies) }
}

/** The ttl controller annotates every node again and again. No test here needs the annotation. */
export const NO_TTL = '--controllers=-ttl-controller'

export function nodeManifest(seed: number, { name, labels, taints, allocatable }: PlannedNode): object {
  const now = new Date().toISOString()
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastHeartbeatTime: now, lastTransitionTime: now }
  const full = nameOf(seed, name)
  return {
    metadata: { name: full, labels: { ...withOldNames(labels), 'kubernetes.io/hostname': full, [CASE]: String(seed) } },
    spec: { taints },
    status: { capacity: quantities(allocatable), allocatable: quantities(allocatable), conditions: [ready] },
  }
}

/** If `node` is given, the pod may run on that node only, as a pod of a DaemonSet. The scheduler checks all other rules as usual. */
export function podManifest(seed: number, { metadata, spec }: Manifest, node?: string): object {
  const name = nameOf(seed, metadata.name)
  return {
    metadata: { name, labels: { [CASE]: String(seed) } },
    spec: ofCase(seed, node === undefined ? spec : pinned(spec, nameOf(seed, node))),
  }
}

export function daemonManifest(seed: number, { metadata, spec }: Manifest): object {
  const labels = { [CASE]: String(seed), daemon: metadata.name }
  return {
    metadata: { name: nameOf(seed, metadata.name), labels: { [CASE]: String(seed) } },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: ofCase(seed, spec) } },
  }
}

function ofCase(seed: number, spec: PodSpec): PodSpec {
  return { ...spec, nodeSelector: { ...objectOf(spec['nodeSelector']), [CASE]: String(seed) } }
}

function pinned(spec: PodSpec, node: string): PodSpec {
  const affinity = objectOf(spec['affinity'])
  const nodeAffinity = objectOf(affinity['nodeAffinity'])
  const required = objectOf(nodeAffinity['requiredDuringSchedulingIgnoredDuringExecution'])
  const terms = Array.isArray(required['nodeSelectorTerms']) ? required['nodeSelectorTerms'] : [{}]
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  const nodeSelectorTerms = terms.map((term) => ({ ...objectOf(term), matchFields }))
  return {
    ...spec,
    affinity: { ...affinity, nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  }
}

function quantities(resources: Resources): Record<string, string> {
  return Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]))
}

function objectOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
