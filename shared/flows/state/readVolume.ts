/** How much of a log was read since its state was last saved, and whether that is enough to save it again. */
export interface ReadVolume {
  add(amount: Amount): void
  /** Enough was read, so many times over. */
  isDue(times?: number): boolean
  /** A save begins. Until it has ended, the next is due once an eighth more was read. The call it answers ends it. */
  begin(): () => void
  clear(): void
}

export type Amount = { readonly records: number; readonly bytes: number }

/** Bounds what a cold reader has to apply, in blocks and in bytes. */
const SAVE_EVERY: Amount = { records: 2_000, bytes: 64 * 1024 * 1024 }
const BEGUN = 7 / 8
const NOTHING: Amount = { records: 0, bytes: 0 }

export function createReadVolume(): ReadVolume {
  let volume = NOTHING
  return {
    add({ records, bytes }) {
      volume = { records: volume.records + records, bytes: volume.bytes + bytes }
    },
    isDue: (times = 1) => volume.records >= SAVE_EVERY.records * times || volume.bytes >= SAVE_EVERY.bytes * times,
    begin() {
      const covered = {
        records: Math.min(volume.records, SAVE_EVERY.records * BEGUN),
        bytes: Math.min(volume.bytes, SAVE_EVERY.bytes * BEGUN),
      }
      volume = covered
      // What was read meanwhile counts for the next.
      return () => {
        volume = { records: Math.max(0, volume.records - covered.records), bytes: Math.max(0, volume.bytes - covered.bytes) }
      }
    },
    clear() {
      volume = NOTHING
    },
  }
}
