import { isObject, type Json, listAt, objectAt, sameJson, textAt } from '../object/json.ts'
import { type KubeObject, nameOf, withMember, withMeta } from '../object/kubeObject.ts'
import { celProblem, compileRule } from '../schema/celEnvironment.ts'
import { type FieldError, forbiddenField, invalid, required } from '../schema/fieldError.ts'
import { isSchema, type StructuralSchema } from '../schema/structuralSchema.ts'
import type { TableLayout } from '../tables/tableLayout.ts'
import { METADATA_FIELDS } from './fieldSelector.ts'
import { ALL_VERBS, type Resource, type Strategy } from './resource.ts'

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'
export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io'

const definitionStrategy: Strategy = {
  hasGeneration: true,
  defaults: withNameDefaults,
  prepareForCreate: (definition, { now }) =>
    withMeta(
      {
        ...definition,
        status: {
          conditions: [
            { type: 'NamesAccepted', status: 'True', lastTransitionTime: now, reason: 'NoConflicts', message: 'no conflicts found' },
            {
              type: 'Established',
              status: 'True',
              lastTransitionTime: now,
              reason: 'InitialNamesAccepted',
              message: 'the initial names have been accepted',
            },
          ],
          acceptedNames: objectAt(definition, 'spec', 'names'),
          storedVersions: listAt(definition, 'spec', 'versions')
            .filter((version) => isObject(version) && version['storage'] === true)
            .map((version) => textAt(version, 'name')),
        },
      },
      { finalizers: [...new Set([...(definition.metadata.finalizers ?? []), CLEANUP_FINALIZER])] },
    ),
  prepareForUpdate: (next, previous) => ({
    ...next,
    status: { ...objectAt(previous, 'status'), acceptedNames: objectAt(next, 'spec', 'names') },
  }),
  prepareForStatus: (next, previous) => withMember(next, 'spec', previous['spec']),
  validate: (definition, previous) => validateDefinition(definition, previous),
}

/** The resource of CustomResourceDefinitions themselves. */
export function definitionResource(table: TableLayout): Resource {
  return {
    group: 'apiextensions.k8s.io',
    plural: 'customresourcedefinitions',
    singular: 'customresourcedefinition',
    kind: 'CustomResourceDefinition',
    listKind: 'CustomResourceDefinitionList',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    versions: [{ name: 'v1', table }],
    storageVersion: 'v1',
    storedAs: DEFINITIONS,
    verbs: ALL_VERBS,
    subresources: ['status'],
    selectableFields: METADATA_FIELDS,
    custom: false,
    returnsDeleted: false,
    strategy: definitionStrategy,
  }
}

function withNameDefaults(definition: KubeObject): KubeObject {
  const spec = objectAt(definition, 'spec')
  const names = objectAt(spec, 'names')
  const kind = textAt(names, 'kind')
  return {
    ...definition,
    spec: { conversion: { strategy: 'None' }, ...spec, names: { listKind: `${kind}List`, singular: kind.toLowerCase(), ...names } },
  }
}

function validateDefinition(definition: KubeObject, previous: KubeObject | undefined): FieldError[] {
  const spec = objectAt(definition, 'spec')
  const versions = listAt(spec, 'versions')
  const errors: FieldError[] = []
  const group = textAt(spec, 'group')
  const expected = `${textAt(spec, 'names', 'plural')}.${group}`
  if (group === '') errors.push(required('spec.group'))
  if (textAt(spec, 'names', 'plural') === '') errors.push(required('spec.names.plural'))
  if (textAt(spec, 'names', 'kind') === '') errors.push(required('spec.names.kind'))
  if (!['Namespaced', 'Cluster'].includes(textAt(spec, 'scope'))) errors.push(required('spec.scope'))
  if (nameOf(definition) !== expected) errors.push(invalid('metadata.name', nameOf(definition), `must be spec.names.plural+"."+spec.group`))
  if (versions.filter((version) => isObject(version) && version['storage'] === true).length !== 1)
    errors.push(invalid('spec.versions', versions, 'must have exactly one version marked as storage version'))
  if (textAt(spec, 'conversion', 'strategy') === 'Webhook')
    errors.push(invalid('spec.conversion.strategy', 'Webhook', 'the embedded API server converts with strategy None only'))
  versions.forEach((version, index) => errors.push(...validateVersion(version, `spec.versions[${index}]`)))
  if (previous && !sameJson(spec['scope'], objectAt(previous, 'spec')['scope']))
    errors.push(invalid('spec.scope', spec['scope'], 'field is immutable'))
  return errors
}

function validateVersion(version: Json, path: string): FieldError[] {
  const schema = objectAt(version, 'schema')['openAPIV3Schema']
  const here = `${path}.schema.openAPIV3Schema`
  if (schema === undefined) return [required(here, 'schemas are required')]
  if (!isSchema(schema)) return [invalid(here, null, 'is not a structural schema')]
  if (schema.type !== 'object') return [invalid(`${here}.type`, schema.type, 'must be object at the root')]
  return [...metadataErrors(schema, here), ...ruleErrors(schema, here)]
}

/** The schema of metadata is fixed. A definition may only restrict the name. */
function metadataErrors(schema: StructuralSchema, path: string): FieldError[] {
  const { type, properties = {}, ...rest } = schema.properties?.['metadata'] ?? { type: 'object' }
  const members = Object.keys(properties).filter((name) => name !== 'name' && name !== 'generateName')
  if (type === 'object' && Object.keys(rest).length === 0 && members.length === 0) return []
  const rule = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
  return [forbiddenField(`${path}.properties[metadata]`, rule)]
}

/** Refuses a rule that does not compile when it is defined, not when the first object is checked. */
function ruleErrors(schema: StructuralSchema, path: string): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? []
  const own = rules.flatMap((rule, index) => {
    const problem = compileProblem(rule.rule)
    return problem === undefined
      ? []
      : [invalid(`${path}.x-kubernetes-validations[${index}].rule`, rule.rule, `compilation failed: ${problem}`)]
  })
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => ruleErrors(member, `${path}.properties[${name}]`))
  const items = schema.items ? ruleErrors(schema.items, `${path}.items`) : []
  const additional =
    typeof schema.additionalProperties === 'object' ? ruleErrors(schema.additionalProperties, `${path}.additionalProperties`) : []
  return [...own, ...members, ...items, ...additional]
}

function compileProblem(rule: string): string | undefined {
  try {
    compileRule(rule)
    return undefined
  } catch (error) {
    return celProblem(error)
  }
}
