import { type GoHash, goDecimal, goMap, goNumber, goSet, goStruct, goText } from '../base/goHash.ts'
import { canonicalJson } from '../base/json.ts'
import { byText } from '../base/lists.ts'
import { stableHash } from '../base/stableHash.ts'
import type { DecisionSettings } from './clusterSnapshot.ts'
import { ANNOTATION, type Labels } from './labels.ts'
import { parseClientId } from './node.ts'
import { localDnsState, type NodeClass } from './nodeClass.ts'
import type { EmptyField, NodeClaimTemplate } from './nodePool.ts'
import type { DurationMs } from './units.ts'

/**
 * The versions of these hashes. A claim with another version gets a new hash and is not drifted by its hash. The hash of a pool is Karpenter's, so
 * that claims of both compare with it. The hash of a class is Joiner's own.
 */
export const NODE_POOL_HASH_VERSION = 'v3'
export const NODE_CLASS_HASH_VERSION = 'joiner-v1'

/**
 * Hashes the fields of a template that its nodes are made from, as Karpenter does. Requirements are left out, since they have their own drift check.
 * Read 2026-11-30: kubernetes-sigs/karpenter v1.15.0, pkg/apis/v1/nodepool.go (`Hash`).
 */
export function nodePoolHash({ template }: { readonly template: NodeClaimTemplate }): string {
  const { nodeClassRef, terminationGracePeriod, expireAfter } = template
  const metadata = [
    ['Labels', mapHash(template, 'labels')],
    ['Annotations', mapHash(template, 'annotations')],
  ] as const
  const spec = goStruct('NodeClaimTemplateSpec', [
    ['Taints', taintsHash(template, 'taints')],
    ['StartupTaints', taintsHash(template, 'startupTaints')],
    ['NodeClassRef', fieldsHash('NodeClassReference', { Kind: nodeClassRef.kind, Name: nodeClassRef.name, Group: nodeClassRef.group })],
    ['TerminationGracePeriod', terminationGracePeriod === undefined ? undefined : boundHash(terminationGracePeriod)],
    ['ExpireAfter', expireAfter === 'Never' ? undefined : goStruct('NillableDuration', [['Duration', nanoseconds(expireAfter)]])],
  ])
  const isBare = metadata.every(([, hash]) => hash === undefined)
  const hash = goStruct('NodeClaimTemplate', [
    ['ObjectMeta', isBare ? undefined : goStruct('ObjectMeta', metadata)],
    ['Spec', spec],
  ])
  return goDecimal(hash)
}

function mapHash(template: NodeClaimTemplate, field: 'labels' | 'annotations'): GoHash | undefined {
  const map = template[field]
  return Object.keys(map).length === 0 && !isThere(template, field) ? undefined : goMap(map)
}

function taintsHash(template: NodeClaimTemplate, field: 'taints' | 'startupTaints'): GoHash | undefined {
  const taints = template[field]
  return taints.length === 0 && !isThere(template, field)
    ? undefined
    : goSet(taints.map(({ key, value, effect }) => fieldsHash('Taint', { Key: key, Value: value, Effect: effect })))
}

/** The zero value of a map or slice of Go is nil. One that is empty is no zero value, and counts. */
function isThere({ emptyFields = [] }: NodeClaimTemplate, field: EmptyField): boolean {
  return emptyFields.includes(field)
}

function fieldsHash(name: string, fields: { readonly [field: string]: string | undefined }): GoHash {
  return goStruct(
    name,
    Object.entries(fields).map(([field, value]) => [field, value ? goText(value) : undefined] as const),
  )
}

/** A pointer to a structure: a bound of zero is there, but its value does not count. */
function boundHash(bound: DurationMs): GoHash {
  return goStruct('Duration', [['Duration', bound === 0 ? undefined : nanoseconds(bound)]])
}

function nanoseconds(duration: DurationMs): GoHash {
  return goNumber(duration * NANOSECONDS)
}

const NANOSECONDS = 1_000_000

/** The annotations of the NodePool and of each new NodeClaim of it. Those of the NodePool are for tools: nothing is decided by them. */
export function nodePoolHashAnnotations(pool: { readonly template: NodeClaimTemplate }): Labels {
  return { [ANNOTATION.nodePoolHash]: nodePoolHash(pool), [ANNOTATION.nodePoolHashVersion]: NODE_POOL_HASH_VERSION }
}

/**
 * Hashes what a class itself says of its machines: the fields of its spec, and local DNS where it is on. Tags are left out, since they are updated in
 * place.
 */
export function nodeClassHash(nodeClass: Pick<NodeClass, 'spec' | 'status'>): string {
  const { tags: _, ...hashed } = nodeClass.spec
  const hasLocalDns = localDnsState(nodeClass) === 'Enabled'
  return stableHash(settled({ ...hashed, hasLocalDns }))
}

/** Hashes all of a class that its nodes are made from: spec, version and images. */
export function nodeClassStateHash(nodeClass: Pick<NodeClass, 'spec' | 'status'>): string {
  return stableHash(stateOf(nodeClass))
}

/** Hashes a fact of a cluster that its machines are made from. The order of a list does not count. */
export function factHash(value: unknown): string {
  return stableHash(settled(value ?? null))
}

/**
 * Hashes all that the nodes of a pool are made from: template, requirements, spec of the class, version, images, the identity of the kubelet, and the
 * facts of the cluster.
 */
export function nodesHash(
  { template }: { readonly template: NodeClaimTemplate },
  nodeClass: Pick<NodeClass, 'spec' | 'status'>,
  { kubeletIdentityClientId, clusterFacts }: Pick<DecisionSettings, 'kubeletIdentityClientId' | 'clusterFacts'>,
): string {
  const clientId = parseClientId(kubeletIdentityClientId)
  const identity = clientId === undefined ? [] : [clientId]
  const facts = clusterFacts === undefined ? [] : [clusterFacts]
  return stableHash([nodePoolHash({ template }), settled(template.requirements), ...stateOf(nodeClass), ...identity, ...facts])
}

function stateOf(nodeClass: Pick<NodeClass, 'spec' | 'status'>): readonly unknown[] {
  const { status } = nodeClass
  return [nodeClassHash(nodeClass), status.kubernetesVersion ?? '', status.images.map(({ id }) => id.toLowerCase()).sort(byText)]
}

/** Removes zero values and sorts lists. Neither changes what a node looks like. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled).sort((first, second) => byText(canonicalJson(first), canonicalJson(second)))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, settled(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => !isZeroValue(member)))
}

function isZeroValue(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
