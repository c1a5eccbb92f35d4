import { badRequest } from '../http/statusError.ts'
import { without } from '../object/json.ts'
import { isKubeObject, type KubeObject } from '../object/kubeObject.ts'
import { builtinSchema, QUANTITY_MEMBERS } from '../resources/builtinSchema.ts'
import { wrongType } from '../schema/decodeTypes.ts'
import { applyDefaults } from '../schema/defaulting.ts'
import { pruneRoot } from '../schema/prune.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'
import type { Target } from './api.ts'
import type { FieldValidation } from './writeOptions.ts'

export interface Admitted {
  readonly object: KubeObject
  readonly warnings: readonly string[]
}

/**
 * Checks a written object against the fields of its kind. Unknown fields are refused, reported as a warning, or dropped, as the client asks. Custom
 * resources get the defaults of their schema here. Built-in resources get those of their strategy later.
 */
export function admitFields(object: KubeObject, target: Target, validation: FieldValidation): Admitted {
  const { version } = target
  if (version.codec) return { object: version.codec.fromClient(object), warnings: [] }
  if (version.schema) return prunedTo(version.schema, object, target, validation)
  const schema = builtinSchema(target.resource.kind, version.name)
  if (!schema) return { object, warnings: [] }
  checkTypes(object, schema, target)
  return prunedTo(schema, object, target, validation)
}

function checkTypes(object: KubeObject, schema: StructuralSchema, { resource, version }: Target): void {
  const problem = wrongType(without(object, 'metadata'), schema, '', QUANTITY_MEMBERS)
  if (!problem) return
  throw badRequest(
    `${resource.kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${resource.kind}: json: cannot unmarshal ${problem.got} into Go struct field ${resource.kind}.${problem.path} of type ${problem.want}`,
  )
}

function prunedTo(schema: StructuralSchema, object: KubeObject, { resource, version }: Target, validation: FieldValidation): Admitted {
  const { value, unknown } = pruneRoot(object, schema)
  const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
  if (validation === 'Strict' && problems.length > 0) {
    throw badRequest(
      `${resource.kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${resource.kind}: strict decoding error: ${problems.join(', ')}`,
    )
  }
  const defaulted = applyDefaults(value, schema)
  return { object: isKubeObject(defaulted) ? defaulted : object, warnings: validation === 'Warn' ? problems : [] }
}
