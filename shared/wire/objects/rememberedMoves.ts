import type { BegunMove, ExtraNodes, MoveRest } from '../../model/disruptionCommand.ts'
import type { NodeClaimName, NodePoolName } from '../../model/ids.ts'
import { as, type Codec, integer, list, record, text } from '../codec.ts'
import { duration, instant, uidText } from './shared.ts'

/** Codecs of moves that the calm settings remember. */

const poolNames = list(as<NodePoolName>(text))
const claimNames = list(as<NodeClaimName>(text))

export const begunMove: Codec<BegunMove> = record<BegunMove>({ pools: poolNames, beganAt: instant })

export const extraNodes: Codec<ExtraNodes> = record<ExtraNodes>({ pools: poolNames, moved: claimNames, replacements: integer })

export const moveRest: Codec<MoveRest> = record<MoveRest>({
  moved: claimNames,
  claims: claimNames,
  workloads: list(uidText),
  duration,
  until: instant,
})
