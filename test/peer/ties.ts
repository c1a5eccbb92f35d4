/** Scenarios of the peer where the order of equals decides, and what the tests that compare with it are called. */
import { HAS_PEER_SCENARIOS } from './peerScenarios.ts'

const TIES = 'open claims with equally many pods come in another order: the peer sorts them with an unstable sort'

/** Where first fit, left to itself, puts pods elsewhere, and why; both sides are right. */
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

/** Says so where the peer's answers are not at hand. */
export function titleOf(whose: string): string {
  return `${whose} and the peer${HAS_PEER_SCENARIOS ? '' : ' (skipped: ../shared/data/peer-scheduling is not there)'}`
}
