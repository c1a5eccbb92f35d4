import { badRequest } from '../http/statusError.ts'
import { isKubeObject, type KubeObject } from '../object/kubeObject.ts'
import { applyDefaults } from '../schema/defaulting.ts'
import { pruneRoot } from '../schema/prune.ts'
import type { Target } from './api.ts'
import type { FieldValidation } from './writeOptions.ts'

/** Prunes and defaults a custom resource by its schema; unknown fields are refused, warned of or dropped as the client asks. */
export function admitFields(
  object: KubeObject,
  target: Target,
  validation: FieldValidation,
): { readonly object: KubeObject; readonly warnings: readonly string[] } {
  const { resource, version } = target
  if (version.codec) return { object: version.codec.fromClient(object), warnings: [] }
  if (!version.schema) return { object, warnings: [] }
  const { value, unknown } = pruneRoot(object, version.schema)
  const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
  if (validation === 'Strict' && problems.length > 0) {
    throw badRequest(
      `${resource.kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${resource.kind}: strict decoding error: ${problems.join(', ')}`,
    )
  }
  const defaulted = applyDefaults(value, version.schema)
  return { object: isKubeObject(defaulted) ? defaulted : object, warnings: validation === 'Warn' ? problems : [] }
}
