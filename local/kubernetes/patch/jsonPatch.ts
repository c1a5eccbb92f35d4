import { applyPatch } from 'rfc6902'
import { badRequest, StatusError } from '../http/statusError.ts'
import { isList, isObject, type Json } from '../object/json.ts'

/** Applies a JSON patch (RFC 6902) to a copy. A failed test or a missing path is 422, as in the API server. */
export function jsonPatch(target: Json, patch: Json): Json {
  if (!isList(patch) || !patch.every(isOperation)) throw badRequest('json patch must be a list of operations, each with op and path')
  const copy: Json = structuredClone(target)
  const failed = applyPatch(copy, [...patch]).find((error) => error !== null)
  if (!failed) return copy
  throw new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `the server rejected our request due to an error in our request: ${failed.message || failed.name}`,
    details: {},
  })
}

type Operation = Parameters<typeof applyPatch>[1][number]

function isOperation(value: Json): value is Json & Operation {
  if (!isObject(value) || typeof value['path'] !== 'string') return false
  const operation = value['op']
  return typeof operation === 'string' && ['add', 'remove', 'replace', 'move', 'copy', 'test'].includes(operation)
}
