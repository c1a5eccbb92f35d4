import type { z } from 'zod'
import { capacityBufferSchema } from './capacityBufferSchema.ts'
import { nodeClaimSchema } from './nodeClaimSchema.ts'
import { nodeClassSchema } from './nodeClassSchema.ts'
import { nodeOverlaySchema } from './nodeOverlaySchema.ts'
import { nodePoolSchema } from './nodePoolSchema.ts'

/**
 * A custom resource, from which the manifest of its definition is made. Names, columns and versions are those published for Karpenter and the cluster
 * autoscaler, unchanged.
 */
export type ResourceDefinition = {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly shortNames?: readonly string[]
  /** Names that `kubectl get` accepts for several kinds at once. */
  readonly categories: readonly string[]
  readonly scope: 'Cluster' | 'Namespaced'
  readonly versions: readonly ResourceVersion[]
}

export type ResourceVersion = {
  readonly name: string
  readonly schema: z.ZodType
  readonly storage: boolean
  readonly deprecationWarning?: string
  readonly columns: readonly Column[]
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string }
}

export type Column = { readonly name: string; readonly type: string; readonly jsonPath: string; readonly priority?: number }

const column = (name: string, jsonPath: string, type = 'string'): Column => ({ name, type, jsonPath })
const wide = (name: string, jsonPath: string, type = 'string'): Column => ({ name, type, jsonPath, priority: 1 })
const age = column('Age', '.metadata.creationTimestamp', 'date')
const statusOf = (type: string): string => `.status.conditions[?(@.type=="${type}")].status`

const KARPENTER = { categories: ['karpenter', 'nap'], scope: 'Cluster' } as const

const NODE_POOL: ResourceDefinition = {
  ...KARPENTER,
  group: 'karpenter.sh',
  kind: 'NodePool',
  plural: 'nodepools',
  versions: [
    {
      name: 'v1',
      schema: nodePoolSchema,
      storage: true,
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' },
      columns: [
        column('NodeClass', '.spec.template.spec.nodeClassRef.name'),
        column('Nodes', '.status.nodes'),
        column('Ready', statusOf('Ready')),
        age,
        wide('Weight', '.spec.weight', 'integer'),
        wide('CPU', '.status.resources.cpu'),
        wide('Memory', '.status.resources.memory'),
      ],
    },
  ],
}

const NODE_CLAIM: ResourceDefinition = {
  ...KARPENTER,
  group: 'karpenter.sh',
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  versions: [
    {
      name: 'v1',
      schema: nodeClaimSchema,
      storage: true,
      columns: [
        column('Type', '.metadata.labels.node\\.kubernetes\\.io/instance-type'),
        column('Capacity', '.metadata.labels.karpenter\\.sh/capacity-type'),
        column('Zone', '.metadata.labels.topology\\.kubernetes\\.io/zone'),
        column('Node', '.status.nodeName'),
        column('Ready', statusOf('Ready')),
        age,
        wide('ImageID', '.status.imageID'),
        wide('ID', '.status.providerID'),
        wide('NodePool', '.metadata.labels.karpenter\\.sh/nodepool'),
        wide('NodeClass', '.spec.nodeClassRef.name'),
        wide('Drifted', statusOf('Drifted')),
        wide('Price', '.metadata.labels.eks-node-viewer/instance-price'),
      ],
    },
  ],
}

const CLASS_COLUMNS = [column('Ready', statusOf('Ready').replaceAll('"', "'")), age, wide('ImageFamily', '.spec.imageFamily')]

const NODE_CLASS: ResourceDefinition = {
  ...KARPENTER,
  group: 'karpenter.azure.com',
  kind: 'AKSNodeClass',
  plural: 'aksnodeclasses',
  shortNames: ['aksnc', 'aksncs'],
  versions: [
    {
      name: 'v1alpha2',
      schema: nodeClassSchema,
      storage: false,
      deprecationWarning: 'use v1beta1.AKSNodeClass instead',
      columns: CLASS_COLUMNS,
    },
    { name: 'v1beta1', schema: nodeClassSchema, storage: true, columns: CLASS_COLUMNS },
  ],
}

const NODE_OVERLAY: ResourceDefinition = {
  group: 'karpenter.sh',
  kind: 'NodeOverlay',
  plural: 'nodeoverlays',
  shortNames: ['overlays'],
  categories: ['karpenter'],
  scope: 'Cluster',
  versions: [
    {
      name: 'v1alpha1',
      schema: nodeOverlaySchema,
      storage: true,
      columns: [column('Ready', statusOf('Ready')), age, wide('Weight', '.spec.weight', 'integer')],
    },
  ],
}

const CAPACITY_BUFFER: ResourceDefinition = {
  group: 'autoscaling.x-k8s.io',
  kind: 'CapacityBuffer',
  plural: 'capacitybuffers',
  shortNames: ['cb'],
  categories: ['autoscaling'],
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1beta1',
      schema: capacityBufferSchema,
      storage: true,
      columns: [
        column('Strategy', '.spec.provisioningStrategy'),
        column('PodTemplate', '.status.podTemplateRef.name'),
        column('Replicas', '.status.replicas', 'integer'),
        column('ConditionsType', '.status.conditions[*].type'),
        column('ConditionsStatus', '.status.conditions[*].status'),
        column('ConditionsReason', '.status.conditions[*].reason'),
        age,
      ],
    },
  ],
}

export const RESOURCE_DEFINITIONS: readonly ResourceDefinition[] = [NODE_POOL, NODE_CLAIM, NODE_OVERLAY, NODE_CLASS, CAPACITY_BUFFER]
