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

const USABLE_VALUES = 'minValues counts only values that the claim can use: the API server refuses the claims of the peer'

/** Scenarios in which other pods are placed than the peer places, and why. */
export const OTHERS_PLACED: { readonly [scenario: string]: string } = {
  'f04-pools-0123': USABLE_VALUES,
  'f11-mixture-0110': 'a zone in which no machine for the pods can be bought is no domain of their spread',
}

/** Scenarios in which the same pods are placed, on claims that ask for fewer values, and that other pods join therefore. */
export const FEWER_VALUES: { readonly [scenario: string]: string } = { 'f04-pools-0114': USABLE_VALUES }

/** The title of a test, with a note if the answers of the peer are missing. */
export function titleOf(whose: string): string {
  return `${whose} and the peer${HAS_PEER_SCENARIOS ? '' : ' (skipped: ../shared/data/peer-scheduling is not there)'}`
}
