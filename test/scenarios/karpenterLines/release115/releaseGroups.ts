import { API } from './api.ts'
import { BUFFERS } from './buffers.ts'
import { CONSTRAINTS } from './constraints.ts'
import { DRAIN } from './drain.ts'
import { END_TO_END } from './endToEnd.ts'
import { LIFECYCLE } from './lifecycle.ts'
import { POLICIES } from './policies.ts'
import { QUEUE } from './queue.ts'
import { REBOOT } from './reboot.ts'
import type { ReleaseLine } from './releaseLine.ts'
import { REPAIR } from './repair.ts'
import { TERMINATE_FIRST } from './terminateFirst.ts'
import { VOLUMES } from './volumes.ts'

export type ReleaseGroup = {
  /** The number of lines of each kind. The numbers begin at 01. */
  readonly kinds: { readonly [kind: string]: number }
  readonly rows: readonly ReleaseLine[]
}

export const RELEASE_GROUPS: { readonly [about: string]: ReleaseGroup } = {
  'API, settings': { kinds: { AP: 5, GT: 4 }, rows: API },
  'repair policies': { kinds: { RM: 13 }, rows: POLICIES },
  repair: { kinds: { RP: 34 }, rows: REPAIR },
  reboots: { kinds: { RB: 13 }, rows: REBOOT },
  'terminate first': { kinds: { TF: 13 }, rows: TERMINATE_FIRST },
  'moves under way, costs': { kinds: { QE: 2, DK: 6, PD: 9 }, rows: QUEUE },
  drains: { kinds: { DT: 8 }, rows: DRAIN },
  'claims, state, measures': { kinds: { LF: 5, SX: 2, MX: 2 }, rows: LIFECYCLE },
  'default constraints': { kinds: { SC: 7 }, rows: CONSTRAINTS },
  'volumes, minValues, reservations': { kinds: { VL: 4, MI: 3, RV: 8 }, rows: VOLUMES },
  'buffers, overlays, devices': { kinds: { BX: 3, OX: 2, DY: 5, VQ: 1 }, rows: BUFFERS },
  'end to end': { kinds: { EE: 14 }, rows: END_TO_END },
}
