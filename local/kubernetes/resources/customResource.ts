import { byVersionPriority } from '../discovery/discovery.ts'
import { isObject, type Json, type JsonObject, listAt, objectAt, textAt } from '../object/json.ts'
import type { KubeObject } from '../object/kubeObject.ts'
import { isSchema, type StructuralSchema } from '../schema/structuralSchema.ts'
import { customTable } from '../tables/customTable.ts'
import { customStrategy } from './customStrategy.ts'
import { METADATA_FIELDS, type SelectableFields } from './fieldSelector.ts'
import { ALL_VERBS, type Resource, type ScalePaths, type ServedVersion } from './resource.ts'

/** Returns the resource that a CustomResourceDefinition describes, ready to be served. */
export function customResource(definition: KubeObject): Resource {
  const spec = objectAt(definition, 'spec')
  const names = objectAt(spec, 'names')
  const all = listAt(spec, 'versions').filter(isObject)
  const storage = all.find((version) => version['storage'] === true) ?? all[0] ?? {}
  const group = textAt(spec, 'group')
  const plural = textAt(names, 'plural')
  const kind = textAt(names, 'kind')
  const scale = scaleOf(storage)
  return {
    group,
    plural,
    singular: textAt(names, 'singular') || kind.toLowerCase(),
    kind,
    listKind: textAt(names, 'listKind') || `${kind}List`,
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    shortNames: texts(listAt(names, 'shortNames')),
    categories: texts(listAt(names, 'categories')),
    versions: all
      .filter((version) => version['served'] !== false)
      .map(servedVersion)
      .sort((first, second) => byVersionPriority(first.name, second.name)),
    storageVersion: textAt(storage, 'name'),
    storedAs: `${plural}.${group}`,
    verbs: ALL_VERBS,
    subresources: [...(isObject(objectAt(storage, 'subresources')['status']) ? ['status'] : []), ...(scale ? ['scale'] : [])],
    selectableFields: { ...METADATA_FIELDS, ...selectable(storage) },
    custom: true,
    returnsDeleted: false,
    ...(scale ? { scale } : {}),
    strategy: customStrategy(schemaOf(storage), scale),
  }
}

function servedVersion(version: JsonObject): ServedVersion {
  return { name: textAt(version, 'name'), table: customTable(version), schema: schemaOf(version) }
}

function schemaOf(version: JsonObject): StructuralSchema {
  const schema = objectAt(version, 'schema', 'openAPIV3Schema')
  return isSchema(schema) ? schema : { type: 'object' }
}

function texts(values: readonly Json[]): readonly string[] {
  return values.filter((value) => typeof value === 'string')
}

function scaleOf(version: JsonObject): ScalePaths | undefined {
  const scale = objectAt(version, 'subresources', 'scale')
  const steps = (member: string): readonly string[] =>
    textAt(scale, member)
      .split('.')
      .filter((step) => step !== '')
  if (steps('specReplicasPath').length === 0) return undefined
  return { specReplicas: steps('specReplicasPath'), statusReplicas: steps('statusReplicasPath'), selector: steps('labelSelectorPath') }
}

function selectable(version: JsonObject): SelectableFields {
  const paths = listAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath'))
  return Object.fromEntries(paths.map((path) => [path.replace(/^\./, ''), path.split('.').filter((step) => step !== '')]))
}
