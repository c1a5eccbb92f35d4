import type { z } from 'zod'
import { ownValue } from '../../base/values.ts'
import { isObject } from '../codec.ts'

/** A check for a Kubernetes extension that the schema library cannot express. */
type Check = z.core.CheckFn<unknown>

export function atMostMembers(most: number): Check {
  return ({ value, issues }) => {
    if (!isObject(value)) return
    const count = Object.keys(value).length
    if (count > most) issues.push({ code: 'custom', input: value, path: [], message: `must have at most ${most} members, not ${count}` })
  }
}

/** Returns a check that items of a set are unique, or that items of a map have unique keys. */
export function noneTwice(keys: readonly string[] | undefined): Check {
  return ({ value, issues }) => {
    if (!Array.isArray(value)) return
    const seen = new Set<string>()
    for (const [index, item] of value.entries()) {
      const identity = JSON.stringify(keys === undefined ? item : keys.map((key) => (isObject(item) ? ownValue(item, key) : undefined)))
      if (seen.has(identity)) {
        const what = keys === undefined ? 'must not be listed twice' : `must not have the same ${keys.join(' and ')} as another item`
        issues.push({ code: 'custom', input: value, path: [index], message: what })
      }
      seen.add(identity)
    }
  }
}
