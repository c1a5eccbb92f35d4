/**
 * What the app will hold of each object once everything queued is posted: a fingerprint, never the object. Columns of
 * numbers beside one map of keys, because 100,000 small objects would cost four times as much.
 *
 * The invariant everything rests on: `fingerprint` belongs to the version with the greatest stamp among all that were
 * queued or posted for the key. Then a version that equals it need not be sent, and one that differs must be.
 */
export interface KnownObjects {
  readonly size: number
  fingerprint(key: string): number | undefined
  /** The newest version of `key` now has this fingerprint; its stamp is not known yet. */
  queue(key: string, fingerprint: number): void
  /** The queued version got its number. */
  stamp(key: string, seq: number): void
  /** True when the newest version is queued, or has a number after `seq`. */
  isNewerThan(key: string, seq: number): boolean
  /** Marks the key as found by the list in progress. */
  markSeen(key: string): void
  /** Ends a list: the keys not marked since the last call. */
  takeUnseen(): string[]
  forget(key: string): void
}

const QUEUED = Number.MAX_SAFE_INTEGER
const FIRST_CAPACITY = 64

export function createKnownObjects(): KnownObjects {
  const slots = new Map<string, number>()
  const free: number[] = []
  let fingerprints = new Float64Array(FIRST_CAPACITY)
  let stamps = new Float64Array(FIRST_CAPACITY)
  let seen = new Uint8Array(FIRST_CAPACITY)

  function slotFor(key: string): number {
    const present = slots.get(key)
    if (present !== undefined) return present
    const slot = free.pop() ?? slots.size
    if (slot >= fingerprints.length) grow()
    slots.set(key, slot)
    seen[slot] = 0
    return slot
  }

  function grow(): void {
    const capacity = fingerprints.length * 2
    const [oldFingerprints, oldStamps, oldSeen] = [fingerprints, stamps, seen]
    fingerprints = new Float64Array(capacity)
    fingerprints.set(oldFingerprints)
    stamps = new Float64Array(capacity)
    stamps.set(oldStamps)
    seen = new Uint8Array(capacity)
    seen.set(oldSeen)
  }

  return {
    get size() {
      return slots.size
    },
    fingerprint(key) {
      const slot = slots.get(key)
      return slot === undefined ? undefined : fingerprints[slot]
    },
    queue(key, fingerprint) {
      const slot = slotFor(key)
      fingerprints[slot] = fingerprint
      stamps[slot] = QUEUED
    },
    stamp(key, seq) {
      const slot = slots.get(key)
      if (slot !== undefined) stamps[slot] = seq
    },
    isNewerThan(key, seq) {
      const slot = slots.get(key)
      return slot !== undefined && (stamps[slot] ?? 0) > seq
    },
    markSeen(key) {
      const slot = slots.get(key)
      if (slot !== undefined) seen[slot] = 1
    },
    takeUnseen() {
      const unseen: string[] = []
      for (const [key, slot] of slots) if (seen[slot] === 0) unseen.push(key)
      seen.fill(0)
      return unseen
    },
    forget(key) {
      const slot = slots.get(key)
      if (slot === undefined) return
      slots.delete(key)
      free.push(slot)
    },
  }
}
