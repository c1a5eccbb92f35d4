import type { ReleaseLine } from './releaseLine.ts'

export const TERMINATE_FIRST: readonly ReleaseLine[] = [
  { line: 'TF-01', state: 'missing', what: 'a static pool at its limit deletes first if the setting is on' },
  { line: 'TF-02', state: 'missing', what: 'below the limit the replacement comes first' },
  { line: 'TF-03', state: 'missing', what: 'the setting off: held, and told' },
  { line: 'TF-04', state: 'missing', what: 'a pool that is not ready or being deleted holds' },
  { line: 'TF-05', state: 'missing', what: 'no slot is counted twice; a pool that shrinks is left alone' },
  { line: 'TF-06', state: 'missing', what: 'repair: one command with one candidate at a time' },
  { line: 'TF-07', state: 'missing', what: 'a full reservation without a fallback deletes first, with its blocking pods' },
  { line: 'TF-08', state: 'missing', what: 'more pods than the slot holds: held' },
  { line: 'TF-09', state: 'missing', what: 'a reservation that is not available: held' },
  { line: 'TF-10', state: 'missing', what: 'a fallback, a free slot or another pool: replacement first' },
  { line: 'TF-11', state: 'missing', what: 'static pools of reservations' },
  { line: 'TF-12', state: 'missing', what: 'the settings of drift and of repair are independent' },
  { line: 'TF-13', state: 'missing', what: 'credit only for known reservations, for exactly as many slots' },
]
