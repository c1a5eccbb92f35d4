import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { NodeClaimName, Uid } from '../../model/ids.ts'

/** Claims that moves under way take away, with the uid of each: another claim may have the name by now. */
export type Leaving = ReadonlyMap<NodeClaimName, Uid>

export const NOBODY_LEAVES: Leaving = new Map()

export function leavingBy(commands: readonly DisruptionCommand[]): Leaving {
  if (commands.length === 0) return NOBODY_LEAVES
  return new Map(commands.flatMap(({ candidates }) => candidates.map(({ claim, uid }) => [claim, uid] as const)))
}

/** Claims that leave by one of the two and not by the other. */
export function differing(first: Leaving, second: Leaving): readonly NodeClaimName[] {
  const names = new Set([...first.keys(), ...second.keys()])
  return [...names].filter((name) => first.get(name) !== second.get(name))
}
