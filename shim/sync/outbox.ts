import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import { type HeldText, sizeOf } from './heldText.ts'
import type { ReducedVersion } from './reducedVersion.ts'

export type Unsent = {
  readonly kind: ObjectKind
  readonly key: string
  readonly at: EpochMs
  readonly op: ReducedVersion['op']
  readonly text: HeldText
}

/**
 * Changes that wait to be posted, at most one for each object. A newer version replaces an unsent older one. So the size is bounded by the number of
 * objects, however long the app is away.
 */
export interface Outbox {
  readonly size: number
  /** Characters in memory. */
  readonly length: number
  has(kind: ObjectKind, key: string): boolean
  put(change: Unsent): void
  /** Takes the oldest changes, within the limits. Takes at least one if there is one. */
  take(limits: BatchLimits): Unsent[]
  clear(): readonly Unsent[]
}

export type BatchLimits = { readonly changes: number; readonly length: number }

export function createOutbox(): Outbox {
  const unsent = new Map<string, Unsent>()
  let length = 0

  return {
    get size() {
      return unsent.size
    },
    get length() {
      return length
    },
    has(kind, key) {
      return unsent.has(idOf(kind, key))
    },
    put(change) {
      const id = idOf(change.kind, change.key)
      length += sizeOf(change.text) - sizeOf(unsent.get(id)?.text ?? '')
      unsent.set(id, change)
    },
    take(limits) {
      const taken: Unsent[] = []
      let taking = 0
      for (const [id, change] of unsent) {
        taking += change.text.length
        if (taken.length > 0 && (taken.length >= limits.changes || taking > limits.length)) break
        taken.push(change)
        unsent.delete(id)
        length -= sizeOf(change.text)
      }
      return taken
    },
    clear() {
      const cleared = [...unsent.values()]
      unsent.clear()
      length = 0
      return cleared
    },
  }
}

function idOf(kind: ObjectKind, key: string): string {
  return `${kind} ${key}`
}
