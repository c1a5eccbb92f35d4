import type { Decision } from '../../shared/model/decision.ts'
import type { World } from './givenWorld.ts'
import type { Launched, Place } from './launched.ts'

/** A decision with its result: the launched machines and the places of the pods. */
export type Answer = {
  readonly world: World
  readonly decision: Decision
  readonly launched: readonly Launched[]
  readonly places: ReadonlyMap<string, Place>
  /** Returns the keys of the pods that a name of the scenario means: one pod, or the pods of a group that had no place before. */
  readonly meant: (name: string) => readonly string[]
}
