import type { z } from 'zod'
import { nodeClaimSchema } from './nodeClaimSchema.ts'
import { nodeClassSchema } from './nodeClassSchema.ts'
import { nodePoolSchema } from './nodePoolSchema.ts'
import { type StructuralSchema, structuralSchema } from './structuralSchema.ts'

/** The custom resources, as manifests of their definitions. Names, columns and versions are Karpenter's, unchanged. */
export type ResourceDefinition = {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly shortNames?: readonly string[]
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

const NODE_POOL: ResourceDefinition = {
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
        wide('NodePool', '.metadata.labels.karpenter\\.sh/nodepool'),
        wide('NodeClass', '.spec.nodeClassRef.name'),
        wide('Drifted', statusOf('Drifted')),
      ],
    },
  ],
}

const CLASS_COLUMNS = [column('Ready', statusOf('Ready').replaceAll('"', "'")), age, wide('ImageFamily', '.spec.imageFamily')]

const NODE_CLASS: ResourceDefinition = {
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

export const RESOURCE_DEFINITIONS: readonly ResourceDefinition[] = [NODE_POOL, NODE_CLAIM, NODE_CLASS]

/** The manifest of a definition, as Kubernetes takes it. */
export function definitionManifest(definition: ResourceDefinition): { readonly metadata: { readonly name: string } } & StructuralSchema {
  const { group, kind, plural, shortNames, versions } = definition
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        categories: ['karpenter', 'nap'],
        kind,
        listKind: `${kind}List`,
        plural,
        ...(shortNames ? { shortNames } : {}),
        singular: kind.toLowerCase(),
      },
      scope: 'Cluster',
      versions: versions.map(versionManifest),
    },
  }
}

function versionManifest({ name, schema, storage, deprecationWarning, columns, scale }: ResourceVersion): StructuralSchema {
  return {
    name,
    served: true,
    storage,
    ...(deprecationWarning ? { deprecated: true, deprecationWarning } : {}),
    additionalPrinterColumns: columns,
    subresources: { ...(scale ? { scale } : {}), status: {} },
    schema: { openAPIV3Schema: withTypeMeta(structuralSchema(schema)) },
  }
}

/** Every object has these; the API server checks metadata itself and refuses a definition that says more of it. */
function withTypeMeta(schema: StructuralSchema): StructuralSchema {
  const properties = {
    apiVersion: { type: 'string', description: 'Group and version the object is written in.' },
    kind: { type: 'string', description: 'Kind of the object.' },
    metadata: { type: 'object' },
  }
  return { ...schema, properties: { ...properties, ...(schema['properties'] as StructuralSchema) } }
}
