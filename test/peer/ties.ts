/** Scenarios of the peer in which the order of equals decides, and the titles of the tests that compare with the peer. */
import { HAS_PEER_SCENARIOS } from './peerScenarios.ts'

const TIES = 'open claims with equally many pods come in another order: the peer sorts them with an unstable sort'

/** Scenarios in which first fit, without hints, puts pods elsewhere than the peer, and why. Both answers are right. */
export const TIED: { readonly [scenario: string]: string } = {
  'f04-pools-0105': TIES,
  'f04-pools-0119': TIES,
  'f10-containers-0105': TIES,
  'f10-containers-0110': TIES,
  'f10-containers-0114': TIES,
  'f11-mixture-0105': TIES,
  'f11-mixture-0115': TIES,
  'f12-gpu-arm-0110': TIES,
}

/** The title of a test, with a note if the answers of the peer are missing. */
export function titleOf(whose: string): string {
  return `${whose} and the peer${HAS_PEER_SCENARIOS ? '' : ' (skipped: ../shared/data/peer-scheduling is not there)'}`
}
