import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { NodeClaimName, Uid } from '../../model/ids.ts'

/** The claims that moves under way take away, with their uids. A uid tells a claim from a later claim of the same name. */
export type Leaving = ReadonlyMap<NodeClaimName, Uid>

export const NOBODY_LEAVES: Leaving = new Map()

export function leavingBy(commands: readonly DisruptionCommand[]): Leaving {
  if (commands.length === 0) return NOBODY_LEAVES
  return new Map(commands.flatMap(({ candidates }) => candidates.map(({ claim, uid }) => [claim, uid] as const)))
}

/** The names of claims that only one of the two has, or that have different uids in both. */
export function differing(first: Leaving, second: Leaving): readonly NodeClaimName[] {
  const names = new Set([...first.keys(), ...second.keys()])
  return [...names].filter((name) => first.get(name) !== second.get(name))
}
