import type { ResourceDefinition, ResourceVersion } from './definitions.ts'
import { type StructuralSchema, structuralSchema } from './structuralSchema.ts'

export type DefinitionManifest = StructuralSchema & {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: { readonly kind: string; readonly plural: string } & StructuralSchema
    readonly versions: readonly ({ readonly name: string; readonly schema: StructuralSchema } & StructuralSchema)[]
  }
}

/** Returns the CustomResourceDefinition of a definition. */
export function definitionManifest(definition: ResourceDefinition): DefinitionManifest {
  const { group, kind, plural, shortNames, categories, scope, versions } = definition
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        categories,
        kind,
        listKind: `${kind}List`,
        plural,
        ...(shortNames ? { shortNames } : {}),
        singular: kind.toLowerCase(),
      },
      scope,
      versions: versions.map(versionManifest),
    },
  }
}

function versionManifest({
  name,
  schema,
  storage,
  deprecationWarning,
  columns,
  scale,
}: ResourceVersion): DefinitionManifest['spec']['versions'][number] {
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

/** Adds the members that every object has. The API server validates metadata itself and rejects a definition with a schema for it. */
function withTypeMeta(schema: StructuralSchema): StructuralSchema {
  const properties = {
    apiVersion: { type: 'string', description: 'Group and version the object is written in.' },
    kind: { type: 'string', description: 'Kind of the object.' },
    metadata: { type: 'object' },
  }
  return { ...schema, properties: { ...properties, ...(schema['properties'] as StructuralSchema) } }
}
