import { defined } from '../../base/values.ts'
import type { CapacityBufferStatus } from '../../model/capacityBuffer.ts'
import type { Condition } from '../../model/condition.ts'
import type { NodeClassStatusPatch } from '../../model/decision.ts'
import type { Uid } from '../../model/ids.ts'
import { API_GROUP, LABEL, type Labels } from '../../model/labels.ts'
import type { NodeClaimDraft, NodeClaimSpec, NodeClaimStatus } from '../../model/nodeClaim.ts'
import { formatAmount } from '../../model/quantity.ts'
import type { RequirementSpec } from '../../model/requirements.ts'
import type { Resources } from '../../model/resources.ts'
import type { Taint } from '../../model/taint.ts'
import { formatDuration } from '../../model/time.ts'
import type { EpochMs } from '../../model/units.ts'

/** Printers of the parts of Kubernetes objects that Joiner writes. */

const KARPENTER_API_VERSION = `${API_GROUP.karpenter}/v1`

/** Returns the manifest of a new claim. With `owner`, Kubernetes deletes the claim when its pool is deleted. */
export function claimDraftToKube(draft: NodeClaimDraft, owner?: { readonly name: string; readonly uid: Uid }): ClaimManifest {
  return {
    apiVersion: KARPENTER_API_VERSION,
    kind: 'NodeClaim',
    metadata: defined({
      name: draft.name,
      labels: { ...draft.labels, [LABEL.nodePool]: draft.nodePool },
      annotations: draft.annotations,
      ownerReferences: owner && [{ apiVersion: KARPENTER_API_VERSION, kind: 'NodePool', ...owner, blockOwnerDeletion: true }],
    }),
    spec: claimSpecToKube(draft.spec),
  }
}

export type ClaimManifest = {
  readonly apiVersion: string
  readonly kind: 'NodeClaim'
  readonly metadata: {
    readonly name: string
    readonly labels: Labels
    readonly annotations: Labels
    readonly ownerReferences?: readonly object[]
  }
  readonly spec: object
}

/** Returns the status for a merge patch. Undefined members are omitted, so that the patch leaves them unchanged. */
export function claimStatusToKube(status: NodeClaimStatus): object {
  return defined({
    conditions: conditionsToKube(status.conditions),
    nodeName: status.nodeName,
    providerID: status.providerId,
    imageID: status.imageId,
    capacity: unlessEmpty(resourcesToKube(status.capacity)),
    allocatable: unlessEmpty(resourcesToKube(status.allocatable)),
    lastPodEventTime: status.lastPodEventAt === undefined ? undefined : instantToKube(status.lastPodEventAt),
  })
}

export function nodePoolStatusToKube(status: {
  readonly conditions: readonly Condition[]
  readonly resources: Resources
  readonly nodes: number
  readonly nodeClassObservedGeneration?: number
}): object {
  const { conditions, resources, nodes, nodeClassObservedGeneration } = status
  return defined({
    conditions: conditionsToKube(conditions),
    resources: resourcesToKube(resources),
    nodes,
    nodeClassObservedGeneration,
  })
}

/** Returns the status for a merge patch, which leaves out members that stay as they are. */
export function nodeClassStatusToKube({ conditions, kubernetesVersion, images, localDnsState }: NodeClassStatusPatch): object {
  return defined({ conditions: conditionsToKube(conditions), kubernetesVersion, images, localDNSState: localDnsState })
}

/** The status of a NodeOverlay, of which Joiner writes only the conditions. */
export function conditionStatusToKube(status: { readonly conditions: readonly Condition[] }): object {
  return { conditions: conditionsToKube(status.conditions) }
}

export function capacityBufferStatusToKube(status: CapacityBufferStatus): object {
  const { podTemplate, podTemplateGeneration, replicas, strategy, conditions } = status
  return {
    // Null removes the value of an earlier status.
    podTemplateRef: podTemplate === undefined ? null : { name: podTemplate },
    podTemplateGeneration: podTemplateGeneration ?? null,
    ...defined({ replicas, provisioningStrategy: strategy }),
    conditions: conditionsToKube(conditions),
  }
}

export function conditionsToKube(conditions: readonly Condition[]): object[] {
  return conditions.map(({ type, status, reason, message, lastTransitionAt, observedGeneration }) => ({
    type,
    status,
    reason: reason === '' ? type : reason,
    message,
    lastTransitionTime: instantToKube(lastTransitionAt),
    observedGeneration,
  }))
}

export function taintsToKube(taints: readonly Taint[]): { key: string; value?: string; effect: string }[] {
  return taints.map(({ key, value, effect }) => defined({ key, value, effect }))
}

export function resourcesToKube(resources: Resources): { [resource: string]: string } {
  return Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, formatAmount(name, amount)]))
}

function requirementsToKube(specs: readonly RequirementSpec[]): object[] {
  return specs.map(({ key, operator, values, minValues }) =>
    defined({ key, operator, values: values.length === 0 ? undefined : values, minValues }),
  )
}

/** Formats a time in whole seconds, as Kubernetes stores times. */
export function instantToKube(instant: EpochMs): string {
  return new Date(instant).toISOString().replace(/\.[0-9]+Z$/, 'Z')
}

/** The time in the form of `MicroTime`: six digits for the fraction of a second. */
export function microTimeToKube(instant: EpochMs): string {
  return new Date(instant).toISOString().replace('Z', '000Z')
}

function claimSpecToKube(spec: NodeClaimSpec): object {
  const { nodeClassRef, requirements, requests, taints, startupTaints, expireAfter, terminationGracePeriod } = spec
  return defined({
    nodeClassRef: { ...nodeClassRef },
    requirements: requirementsToKube(requirements),
    resources: { requests: resourcesToKube(requests) },
    taints: taints.length === 0 ? undefined : taintsToKube(taints),
    startupTaints: startupTaints.length === 0 ? undefined : taintsToKube(startupTaints),
    expireAfter: formatDuration(expireAfter),
    terminationGracePeriod: terminationGracePeriod === undefined ? undefined : formatDuration(terminationGracePeriod),
  })
}

function unlessEmpty(resources: { [resource: string]: string }): { [resource: string]: string } | undefined {
  return Object.keys(resources).length === 0 ? undefined : resources
}
