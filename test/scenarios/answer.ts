import type { Decision } from '../../shared/model/decision.ts'
import type { World } from './givenWorld.ts'
import type { Launched, Place } from './launched.ts'

/** A decision, and what becomes of it. */
export type Answer = {
  readonly world: World
  readonly decision: Decision
  readonly launched: readonly Launched[]
  readonly places: ReadonlyMap<string, Place>
  /** Keys of the pods that a name of the scenario means: a pod, or the pods of a group that had no place before. */
  readonly meant: (name: string) => readonly string[]
}
