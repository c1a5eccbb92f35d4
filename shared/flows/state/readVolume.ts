/** The amount of log that was read since the last checkpoint, and whether the next checkpoint is due. */
export interface ReadVolume {
  add(amount: Amount): void
  /** Reports whether `times` times the amount for a checkpoint was read. */
  isDue(times?: number): boolean
  /** Begins a save. Until it ends, the next save is due once another eighth was read. Returns the function that ends the save. */
  begin(): () => void
  clear(): void
}

export type Amount = { readonly records: number; readonly bytes: number }

/** The amount for a checkpoint. It limits what a cold reader has to apply. */
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
      // The amount that was read meanwhile counts for the next save.
      return () => {
        volume = { records: Math.max(0, volume.records - covered.records), bytes: Math.max(0, volume.bytes - covered.bytes) }
      }
    },
    clear() {
      volume = NOTHING
    },
  }
}
