import type { AbortSignalLike } from '../../ports/clock.ts'
import type { Process, WriteJournal } from './writeJournal.ts'

/** One process's way to the world. */
export type Connection = {
  readonly process: Process
  read<Value>(operation: string, object: string, signal: AbortSignalLike, effect: () => Value): Promise<Value>
  /** The effect is atomic: it runs in one go, wholly or not at all. */
  write<Value>(operation: string, object: string, signal: AbortSignalLike, effect: () => Value): Promise<Value>
}

export function createConnection(process: Process, journal: WriteJournal): Connection {
  return {
    process,
    read: (operation, object, signal, effect) => journal.read(process, { operation, object, signal }, effect),
    write: (operation, object, signal, effect) => journal.write(process, { operation, object, signal }, effect),
  }
}

/** For calls whose port takes no signal. */
export const NEVER_ABORTED: AbortSignalLike = {
  aborted: false,
  reason: undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
}
