import type { KeptMembers, KeptRule, Test } from './kept.ts'

/** Lists of parts that many kinds of objects have. */

export const CONDITION: KeptMembers = {
  type: true,
  status: true,
  reason: true,
  message: true,
  // Not the time of the heartbeat, which changes all the time.
  lastTransitionTime: true,
  observedGeneration: true,
}

export const TAINT: KeptMembers = { key: true, value: true, effect: true }

export const REQUIREMENT: KeptMembers = { key: true, operator: true, values: true, minValues: true }

export const SELECTOR: KeptMembers = { matchLabels: true, matchExpressions: REQUIREMENT }

export const NODE_CLASS_REF: KeptMembers = { group: true, kind: true, name: true }

export const NAMED: KeptMembers = { name: true, uid: true }

export const NAMESPACED: KeptMembers = { ...NAMED, namespace: true }

const META: KeptMembers = {
  ...NAMED,
  labels: true,
  creationTimestamp: true,
  deletionTimestamp: true,
  generation: true,
  resourceVersion: true,
  finalizers: true,
}

/** Annotations of domains that decisions depend on. Others belong to network plugins and the like, and change all the time. */
const OWN_ANNOTATIONS: KeptMembers = { 'karpenter.sh/*': true, 'karpenter.azure.com/*': true, 'joiner.dev/*': true }

/** The metadata of a custom resource. kubectl's copy of the whole object stays in the cluster. */
export const RESOURCE_META: KeptMembers = { ...META, annotations: { '*': true, 'kubectl.kubernetes.io/last-applied-configuration': [] } }

export function nodeMeta(resourceVersion: readonly KeptRule[]): KeptMembers {
  return { ...META, annotations: OWN_ANNOTATIONS, resourceVersion }
}

/** The value at the path is there. */
export function has(...at: readonly string[]): Test {
  return { at, not: [null] }
}

export function is(at: readonly string[], ...values: readonly (string | boolean)[]): Test {
  return { at, is: values }
}

/** The text at the path is missing or empty. */
export function isEmpty(...at: readonly string[]): Test {
  return { at, is: [null, ''] }
}
