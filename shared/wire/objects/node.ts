import type { NodeClaimName, NodeClassName, NodeName, NodePoolName, ProviderId } from '../../model/ids.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim, NodeClaimDraft, NodeClaimSpec, NodeClaimStatus } from '../../model/nodeClaim.ts'
import type { KubeletSettings, NodeClass, NodeClassSpec } from '../../model/nodeClass.ts'
import {
  type Budget,
  CONSOLIDATION_POLICIES,
  DISRUPTION_REASONS,
  type DisruptionPolicy,
  EMPTY_FIELDS,
  type NodeClaimTemplate,
  type NodePool,
} from '../../model/nodePool.ts'
import { as, type Codec, flag, integer, json, list, NO_ITEMS, oneOf, optional, orElse, record, text } from '../codec.ts'
import { withStarts } from './schedule.ts'
import {
  conditions,
  duration,
  durationOrNever,
  instant,
  labels,
  meta,
  nodeClassRef,
  requirementSpecs,
  resources,
  taints,
} from './shared.ts'

/** Codecs of nodes and custom resources in the form of the model. */

const providerId: Codec<ProviderId> = as(text)
const nodeName: Codec<NodeName> = as(text)

export const node: Codec<Node> = record<Node>({
  name: nodeName,
  meta,
  providerId: optional(providerId),
  taints,
  unschedulable: orElse(flag, false),
  capacity: resources,
  allocatable: resources,
  conditions,
  kubeletVersion: optional(text),
  bootId: optional(text),
})

const claimSpec: Codec<NodeClaimSpec> = record<NodeClaimSpec>({
  nodeClassRef,
  requirements: requirementSpecs,
  requests: resources,
  taints,
  startupTaints: taints,
  expireAfter: durationOrNever,
  terminationGracePeriod: optional(duration),
})

const claimStatus: Codec<NodeClaimStatus> = record<NodeClaimStatus>({
  conditions,
  nodeName: optional(nodeName),
  providerId: optional(providerId),
  imageId: optional(text),
  capacity: resources,
  allocatable: resources,
  lastPodEventAt: optional(instant),
})

export const nodeClaim: Codec<NodeClaim> = record<NodeClaim>({
  name: as<NodeClaimName>(text),
  meta,
  spec: claimSpec,
  unknownValues: optional(list(text)),
  status: claimStatus,
})

export const nodeClaimDraft: Codec<NodeClaimDraft> = record<NodeClaimDraft>({
  name: as<NodeClaimName>(text),
  nodePool: as<NodePoolName>(text),
  labels,
  annotations: labels,
  spec: claimSpec,
})

const template: Codec<NodeClaimTemplate> = record<NodeClaimTemplate>({
  labels,
  annotations: labels,
  requirements: requirementSpecs,
  taints,
  startupTaints: taints,
  nodeClassRef,
  expireAfter: durationOrNever,
  terminationGracePeriod: optional(duration),
  emptyFields: optional(list(oneOf(...EMPTY_FIELDS))),
})

type StoredBudget = Omit<Budget, 'starts'>

const storedBudget: Codec<StoredBudget> = record<StoredBudget>({
  nodes: text,
  schedule: optional(text),
  duration: optional(duration),
  reasons: optional(list(oneOf(...DISRUPTION_REASONS))),
  unknownReasons: optional(list(text)),
})

/** Stores the schedule as written and parses it when the budget is read. */
const budget: Codec<Budget> = {
  read: (source, trail) => {
    const stored = storedBudget.read(source, trail)
    return trail.failure === undefined ? withStarts(stored) : stored
  },
  write: storedBudget.write,
}

export const nodePool: Codec<NodePool> = record<NodePool>({
  name: as<NodePoolName>(text),
  meta,
  template,
  disruption: record<DisruptionPolicy>({
    consolidationPolicy: oneOf(...CONSOLIDATION_POLICIES),
    unknownPolicy: optional(text),
    consolidateAfter: durationOrNever,
    budgets: orElse(list(budget), NO_ITEMS),
  }),
  limits: resources,
  unreadableLimits: optional(list(text)),
  unknownValues: optional(list(text)),
  weight: optional(integer),
  replicas: optional(integer),
  status: record<NodePool['status']>({ conditions, resources, nodes: optional(integer), nodeClassObservedGeneration: optional(integer) }),
})

const kubelet: Codec<KubeletSettings> = record<KubeletSettings>({
  cpuManagerPolicy: optional(text),
  cpuCfsQuota: optional(flag),
  cpuCfsQuotaPeriod: optional(text),
  imageGcHighThresholdPercent: optional(integer),
  imageGcLowThresholdPercent: optional(integer),
  topologyManagerPolicy: optional(text),
  allowedUnsafeSysctls: optional(list(text)),
  containerLogMaxSize: optional(text),
  containerLogMaxFiles: optional(integer),
  podPidsLimit: optional(integer),
  failSwapOn: optional(flag),
})

const nodeClassSpec: Codec<NodeClassSpec> = record<NodeClassSpec>({
  vnetSubnetId: optional(text),
  osDiskSizeGb: integer,
  osDiskType: optional(oneOf('Managed')),
  imageFamily: oneOf('Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux'),
  fipsMode: optional(oneOf('FIPS', 'Disabled')),
  tags: labels,
  maxPods: optional(integer),
  kubelet: orElse(kubelet, Object.freeze({})),
  gpuMode: oneOf('Driver', 'None'),
  encryptionAtHost: optional(flag),
  trustedLaunch: optional(record<NonNullable<NodeClassSpec['trustedLaunch']>>({ vtpm: optional(flag), secureBoot: optional(flag) })),
  artifactStreaming: optional(flag),
  localDns: optional(json),
  linuxOsConfig: optional(json),
})

export const nodeClass: Codec<NodeClass> = record<NodeClass>({
  name: as<NodeClassName>(text),
  meta,
  spec: nodeClassSpec,
  unknownValues: optional(list(text)),
  status: record<NodeClass['status']>({
    conditions,
    kubernetesVersion: optional(text),
    images: orElse(list(record<NodeClass['status']['images'][number]>({ id: text, requirements: orElse(list(json), NO_ITEMS) })), NO_ITEMS),
    localDnsState: optional(oneOf('Enabled', 'Disabled')),
  }),
})
