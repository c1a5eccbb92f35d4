import type { BegunMove } from '../../model/disruptionCommand.ts'
import type { NodePoolName } from '../../model/ids.ts'
import { as, type Codec, list, record, text } from '../codec.ts'
import { instant } from './shared.ts'

/** Codec of moves that the calm settings remember. */
export const begunMove: Codec<BegunMove> = record<BegunMove>({ pools: list(as<NodePoolName>(text)), beganAt: instant })
