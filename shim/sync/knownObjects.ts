/**
 * What the app will hold of each object once all queued changes are posted: a fingerprint, never the object. Stored as columns of numbers beside one
 * map of keys, because 100,000 small objects would cost four times as much memory.
 *
 * The invariant: `fingerprint` belongs to the version with the greatest number among all versions that were queued or posted for the key. So a
 * version with this fingerprint need not be sent, and a version with another one must be sent.
 */
export interface KnownObjects {
  readonly size: number
  fingerprint(key: string): number | undefined
  /** Sets the fingerprint of the newest version of `key`. Its number is not known yet. */
  queue(key: string, fingerprint: number): void
  /** Sets the number of the queued version. */
  setVersion(key: string, seq: number): void
  /** Reports whether the newest version is queued, or has a number after `seq`. */
  isNewerThan(key: string, seq: number): boolean
  /** Marks the key as found by the list in progress. */
  markSeen(key: string): void
  /** Ends a list. Returns the keys that were not marked since the last call. */
  takeUnseen(): string[]
  forget(key: string): void
  /** The number of the key's row. Another table that has columns under the same numbers needs no keys of its own. */
  slotOf(key: string): number | undefined
  slots(): Iterable<readonly [key: string, slot: number]>
}

const QUEUED = Number.MAX_SAFE_INTEGER
const FIRST_CAPACITY = 64

type Columns = { readonly fingerprints: Float64Array; readonly versions: Float64Array; readonly seen: Uint8Array }

export function createKnownObjects(): KnownObjects {
  const slots = new Map<string, number>()
  const free: number[] = []
  let columns = emptyColumns(FIRST_CAPACITY)

  function slotFor(key: string): number {
    const present = slots.get(key)
    if (present !== undefined) return present
    const slot = free.pop() ?? slots.size
    if (slot >= columns.seen.length) columns = grown(columns)
    slots.set(key, slot)
    columns.seen[slot] = 0
    return slot
  }

  return {
    get size() {
      return slots.size
    },
    fingerprint(key) {
      const slot = slots.get(key)
      return slot === undefined ? undefined : columns.fingerprints[slot]
    },
    queue(key, fingerprint) {
      const slot = slotFor(key)
      columns.fingerprints[slot] = fingerprint
      columns.versions[slot] = QUEUED
    },
    setVersion(key, seq) {
      const slot = slots.get(key)
      if (slot !== undefined) columns.versions[slot] = seq
    },
    isNewerThan(key, seq) {
      const slot = slots.get(key)
      return slot !== undefined && (columns.versions[slot] ?? 0) > seq
    },
    markSeen(key) {
      const slot = slots.get(key)
      if (slot !== undefined) columns.seen[slot] = 1
    },
    takeUnseen() {
      const unseen: string[] = []
      for (const [key, slot] of slots) if (columns.seen[slot] === 0) unseen.push(key)
      columns.seen.fill(0)
      return unseen
    },
    forget(key) {
      const slot = slots.get(key)
      if (slot === undefined) return
      slots.delete(key)
      free.push(slot)
    },
    slotOf: (key) => slots.get(key),
    slots: () => slots,
  }
}

function emptyColumns(capacity: number): Columns {
  return { fingerprints: new Float64Array(capacity), versions: new Float64Array(capacity), seen: new Uint8Array(capacity) }
}

function grown(columns: Columns): Columns {
  const larger = emptyColumns(columns.seen.length * 2)
  larger.fingerprints.set(columns.fingerprints)
  larger.versions.set(columns.versions)
  larger.seen.set(columns.seen)
  return larger
}
