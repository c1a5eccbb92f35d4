import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import { isObject, type Json } from '../object/json.ts'

/** Applies a JSON merge patch (RFC 7386): null removes, objects are merged, everything else replaces. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const merged: Record<string, Json | undefined> = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue
    if (value === null) delete merged[key]
    else setOwnValue(merged, key, mergePatch(ownValue(merged, key), value))
  }
  return merged
}
